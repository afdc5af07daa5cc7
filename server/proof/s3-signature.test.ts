import { expect, test } from 'vitest'
import { signedHeaders } from './s3-signature.ts'

/** The examples of Amazon S3's API reference, "Authenticating Requests: Using the Authorization Header". */

const key = {
  id: 'AKIAIOSFODNN7EXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const now = new Date('2013-05-24T00:00:00Z')
const credential = 'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request'

test("signs Amazon's example of reading an object", () => {
  const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt')
  const headers = { range: 'bytes=0-9' }
  const signed = signedHeaders({ method: 'GET', url, headers, body: Buffer.alloc(0) }, key, now)
  expect(signed).toEqual({
    range: 'bytes=0-9',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-amz-date': '20130524T000000Z',
    authorization: `${credential},SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41`,
  })
})

test("signs Amazon's example of writing an object", () => {
  const url = new URL('https://examplebucket.s3.amazonaws.com/test%24file.text')
  const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' }
  const body = Buffer.from('Welcome to Amazon S3.')
  expect(signedHeaders({ method: 'PUT', url, headers, body }, key, now).authorization).toBe(
    `${credential},SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd`,
  )
})
