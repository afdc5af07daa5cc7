import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { bech32, bech32m } from '@scure/base'
import { HARDENED_OFFSET, HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { describe, expect, test } from 'vitest'
import {
  addressAt,
  addressOfScript,
  bitcoinAccount,
  branches,
  outputScript,
  scriptOfAddress,
} from './bitcoin/addresses.ts'
import { bitcoinNetworks } from './bitcoin/networks.ts'
import { childKey, descriptorChecksum, KeyFault, parseAccountKey } from './hd.ts'

/** The test vectors of the BIPs, each whole: what is held against them is the product's own code, or the library's that it is made of. */

const { main, testnet } = bitcoinNetworks

/** What the product says to a text that is to be an account's key; 'taken' where it takes it. */
function answerTo(text: string): string {
  try {
    parseAccountKey(text)
    return 'taken'
  } catch (error) {
    if (error instanceof KeyFault) return error.message
    throw error
  }
}
const privateKey = 'is a private key. None belongs on this server; move what it guards at once'
const wholeWallet = 'is the key of a whole wallet: export that of one account (such as 84h/0h/0h)'
const oneBranch = 'is the key of one branch or address: export that of the account above it'

describe('BIP-32', () => {
  /** Path, public key, private key. */
  const vectors: Record<string, { seed: string; keys: [path: string, xpub: string, xprv: string][] }> = {
    'vector 1': {
      seed: '000102030405060708090a0b0c0d0e0f',
      keys: [
        [
          'm',
          'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8',
          'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
        ],
        [
          "m/0'",
          'xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw',
          'xprv9uHRZZhk6KAJC1avXpDAp4MDc3sQKNxDiPvvkX8Br5ngLNv1TxvUxt4cV1rGL5hj6KCesnDYUhd7oWgT11eZG7XnxHrnYeSvkzY7d2bhkJ7',
        ],
        [
          "m/0'/1",
          'xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ',
          'xprv9wTYmMFdV23N2TdNG573QoEsfRrWKQgWeibmLntzniatZvR9BmLnvSxqu53Kw1UmYPxLgboyZQaXwTCg8MSY3H2EU4pWcQDnRnrVA1xe8fs',
        ],
        [
          "m/0'/1/2'",
          'xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5',
          'xprv9z4pot5VBttmtdRTWfWQmoH1taj2axGVzFqSb8C9xaxKymcFzXBDptWmT7FwuEzG3ryjH4ktypQSAewRiNMjANTtpgP4mLTj34bhnZX7UiM',
        ],
        [
          "m/0'/1/2'/2",
          'xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV',
          'xprvA2JDeKCSNNZky6uBCviVfJSKyQ1mDYahRjijr5idH2WwLsEd4Hsb2Tyh8RfQMuPh7f7RtyzTtdrbdqqsunu5Mm3wDvUAKRHSC34sJ7in334',
        ],
        [
          "m/0'/1/2'/2/1000000000",
          'xpub6H1LXWLaKsWFhvm6RVpEL9P4KfRZSW7abD2ttkWP3SSQvnyA8FSVqNTEcYFgJS2UaFcxupHiYkro49S8yGasTvXEYBVPamhGW6cFJodrTHy',
          'xprvA41z7zogVVwxVSgdKUHDy1SKmdb533PjDz7J6N6mV6uS3ze1ai8FHa8kmHScGpWmj4WggLyQjgPie1rFSruoUihUZREPSL39UNdE3BBDu76',
        ],
      ],
    },
    'vector 2': {
      seed: 'fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542',
      keys: [
        [
          'm',
          'xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB',
          'xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3pGz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U',
        ],
        [
          'm/0',
          'xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH',
          'xprv9vHkqa6EV4sPZHYqZznhT2NPtPCjKuDKGY38FBWLvgaDx45zo9WQRUT3dKYnjwih2yJD9mkrocEZXo1ex8G81dwSM1fwqWpWkeS3v86pgKt',
        ],
        [
          "m/0/2147483647'",
          'xpub6ASAVgeehLbnwdqV6UKMHVzgqAG8Gr6riv3Fxxpj8ksbH9ebxaEyBLZ85ySDhKiLDBrQSARLq1uNRts8RuJiHjaDMBU4Zn9h8LZNnBC5y4a',
          'xprv9wSp6B7kry3Vj9m1zSnLvN3xH8RdsPP1Mh7fAaR7aRLcQMKTR2vidYEeEg2mUCTAwCd6vnxVrcjfy2kRgVsFawNzmjuHc2YmYRmagcEPdU9',
        ],
        [
          "m/0/2147483647'/1",
          'xpub6DF8uhdarytz3FWdA8TvFSvvAh8dP3283MY7p2V4SeE2wyWmG5mg5EwVvmdMVCQcoNJxGoWaU9DCWh89LojfZ537wTfunKau47EL2dhHKon',
          'xprv9zFnWC6h2cLgpmSA46vutJzBcfJ8yaJGg8cX1e5StJh45BBciYTRXSd25UEPVuesF9yog62tGAQtHjXajPPdbRCHuWS6T8XA2ECKADdw4Ef',
        ],
        [
          "m/0/2147483647'/1/2147483646'",
          'xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL',
          'xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2VbFWc',
        ],
        [
          "m/0/2147483647'/1/2147483646'/2",
          'xpub6FnCn6nSzZAw5Tw7cgR9bi15UV96gLZhjDstkXXxvCLsUXBGXPdSnLFbdpq8p9HmGsApME5hQTZ3emM2rnY5agb9rXpVGyy3bdW6EEgAtqt',
          'xprvA2nrNbFZABcdryreWet9Ea4LvTJcGsqrMzxHx98MMrotbir7yrKCEXw7nadnHM8Dq38EGfSh6dqA9QWTyefMLEcBYJUuekgW4BYPJcr9E7j',
        ],
      ],
    },
    'vector 3 (leading zeros are kept)': {
      seed: '4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be',
      keys: [
        [
          'm',
          'xpub661MyMwAqRbcEZVB4dScxMAdx6d4nFc9nvyvH3v4gJL378CSRZiYmhRoP7mBy6gSPSCYk6SzXPTf3ND1cZAceL7SfJ1Z3GC8vBgp2epUt13',
          'xprv9s21ZrQH143K25QhxbucbDDuQ4naNntJRi4KUfWT7xo4EKsHt2QJDu7KXp1A3u7Bi1j8ph3EGsZ9Xvz9dGuVrtHHs7pXeTzjuxBrCmmhgC6',
        ],
        [
          "m/0'",
          'xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku14VQrADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y',
          'xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L',
        ],
      ],
    },
    'vector 4 (leading zeros are kept)': {
      seed: '3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678',
      keys: [
        [
          'm',
          'xpub661MyMwAqRbcGczjuMoRm6dXaLDEhW1u34gKenbeYqAix21mdUKJyuyu5F1rzYGVxyL6tmgBUAEPrEz92mBXjByMRiJdba9wpnN37RLLAXa',
          'xprv9s21ZrQH143K48vGoLGRPxgo2JNkJ3J3fqkirQC2zVdk5Dgd5w14S7fRDyHH4dWNHUgkvsvNDCkvAwcSHNAQwhwgNMgZhLtQC63zxwhQmRv',
        ],
        [
          "m/0'",
          'xpub69AUMk3qDBi3uW1sXgjCmVjJ2G6WQoYSnNHyzkmdCHEhSZ4tBok37xfFEqHd2AddP56Tqp4o56AePAgCjYdvpW2PU2jbUPFKsav5ut6Ch1m',
          'xprv9vB7xEWwNp9kh1wQRfCCQMnZUEG21LpbR9NPCNN1dwhiZkjjeGRnaALmPXCX7SgjFTiCTT6bXes17boXtjq3xLpcDjzEuGLQBM5ohqkao9G',
        ],
        [
          "m/0'/1'",
          'xpub6BJA1jSqiukeaesWfxe6sNK9CCGaujFFSJLomWHprUL9DePQ4JDkM5d88n49sMGJxrhpjazuXYWdMf17C9T5XnxkopaeS7jGk1GyyVziaMt',
          'xprv9xJocDuwtYCMNAo3Zw76WENQeAS6WGXQ55RCy7tDJ8oALr4FWkuVoHJeHVAcAqiZLE7Je3vZJHxspZdFHfnBEjHqU5hG1Jaj32dVoS6XLT1',
        ],
      ],
    },
  }

  test.each(Object.entries(vectors))('[K-02] %s: the keys of a seed', (_, { seed, keys }) => {
    const root = HDKey.fromMasterSeed(hexToBytes(seed))
    for (const [path, xpub, xprv] of keys) {
      const { publicExtendedKey, privateExtendedKey } = root.derive(path)
      expect({ path, publicExtendedKey, privateExtendedKey }).toEqual({
        path,
        publicExtendedKey: xpub,
        privateExtendedKey: xprv,
      })
    }
  })

  test('[K-02] each step that is not hardened, from the public key alone', () => {
    const steps = Object.values(vectors).flatMap(({ keys }) =>
      keys.slice(1).flatMap(([path, xpub], at) => {
        const index = Number(path.split('/').at(-1))
        return Number.isInteger(index) ? [{ parent: keys[at]![1], index, xpub }] : []
      }),
    )
    expect(steps).toHaveLength(6)
    for (const { parent, index, xpub } of steps)
      expect(HDKey.fromExtendedKey(parent).deriveChild(index).publicExtendedKey).toBe(xpub)
  })

  test('[K-02] the two steps below an account that the product takes', () => {
    const keys = Object.fromEntries(vectors['vector 1']!.keys.map(([path, xpub]) => [path, xpub]))
    const account = parseAccountKey(keys["m/0'/1/2'"]!)
    const child = HDKey.fromExtendedKey(keys["m/0'/1/2'/2/1000000000"]!)
    expect(bytesToHex(childKey(account, 2, 1_000_000_000))).toBe(bytesToHex(child.publicKey!))
  })

  test.each(Object.entries(vectors))(
    '[K-02] %s: of its keys accounts alone are taken, and no private one',
    (_, { keys }) => {
      for (const [path, xpub, xprv] of keys) {
        const { depth, index } = HDKey.fromExtendedKey(xpub)
        const isAccount = depth <= 3 && index >= HARDENED_OFFSET
        expect({ path, answer: answerTo(xpub) }).toEqual({
          path,
          answer: depth === 0 ? wholeWallet : isAccount ? 'taken' : oneBranch,
        })
        expect({ path, answer: answerTo(xprv) }).toEqual({ path, answer: privateKey })
      }
    },
  )

  test.each([
    // Public version and private key, and the other way round.
    [
      'xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6LBpB85b3D2yc8sfvZU521AAwdZafEz7mnzBBsz4wKY5fTtTQBm',
    ],
    [
      'xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFGTQQD3dC4H2D5GBj7vWvSQaaBv5cxi9gafk7NF3pnBju6dwKvH',
    ],
    // Prefix 04, of both.
    [
      'xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Txnt3siSujt9RCVYsx4qHZGc62TG4McvMGcAUjeuwZdduYEvFn',
    ],
    [
      'xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFGpWnsj83BHtEy5Zt8CcDr1UiRXuWCmTQLxEK9vbz5gPstX92JQ',
    ],
    // Prefix 01, of both.
    [
      'xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6N8ZMMXctdiCjxTNq964yKkwrkBJJwpzZS4HS2fxvyYUA4q2Xe4',
    ],
    [
      'xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFAzHGBP2UuGCqWLTAPLcMtD9y5gkZ6Eq3Rjuahrv17fEQ3Qen6J',
    ],
    // No depth, but a parent.
    [
      'xprv9s2SPatNQ9Vc6GTbVMFPFo7jsaZySyzk7L8n2uqKXJen3KUmvQNTuLh3fhZMBoG3G4ZW1N2kZuHEPY53qmbZzCHshoQnNf4GvELZfqTUrcv',
    ],
    [
      'xpub661no6RGEX3uJkY4bNnPcw4URcQTrSibUZ4NqJEw5eBkv7ovTwgiT91XX27VbEXGENhYRCf7hyEbWrR3FewATdCEebj6znwMfQkhRYHRLpJ',
    ],
    // No depth, but a number.
    [
      'xprv9s21ZrQH4r4TsiLvyLXqM9P7k1K3EYhA1kkD6xuquB5i39AU8KF42acDyL3qsDbU9NmZn6MsGSUYZEsuoePmjzsB3eFKSUEh3Gu1N3cqVUN',
    ],
    [
      'xpub661MyMwAuDcm6CRQ5N4qiHKrJ39Xe1R1NyfouMKTTWcguwVcfrZJaNvhpebzGerh7gucBvzEQWRugZDuDXjNDRmXzSZe4c7mnTK97pTvGS8',
    ],
    // An unknown version.
    [
      'DMwo58pR1QLEFihHiXPVykYB6fJmsTeHvyTp7hRThAtCX8CvYzgPcn8XnmdfHGMQzT7ayAmfo4z3gY5KfbrZWZ6St24UVf2Qgo6oujFktLHdHY4',
    ],
    [
      'DMwo58pR1QLEFihHiXPVykYB6fJmsTeHvyTp7hRThAtCX8CvYzgPcn8XnmdfHPmHJiEDXkTiJTVV9rHEBUem2mwVbbNfvT2MTcAqj3nesx8uBf9',
    ],
    // Private key 0 and n, a public key that is no point, and a wrong checksum.
    [
      'xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzF93Y5wvzdUayhgkkFoicQZcP3y52uPPxFnfoLZB21Teqt1VvEHx',
    ],
    [
      'xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFAzHGBP2UuGCqWLTAPLcMtD5SDKr24z3aiUvKr9bJpdrcLg1y3G',
    ],
    [
      'xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Q5JXayek4PRsn35jii4veMimro1xefsM58PgBMrvdYre8QyULY',
    ],
    [
      'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHL',
    ],
  ])('[K-02] vector 5, which is no key, is refused: %s', text => {
    for (const given of [
      text,
      `wpkh(${text}/<0;1>/*)`,
      `tr(${text}/<0;1>/*)`,
      `[73c5da0a/84h/0h/0h]${text}`,
    ]) {
      const answer = answerTo(given)
      expect(answer).not.toBe('taken')
      expect(answer).not.toContain(text.slice(4, 20))
      if (text.startsWith('xprv')) expect(answer).toBe(privateKey)
    }
    const hasPrivate = text.endsWith('LBpB85b3D2yc8sfvZU521AAwdZafEz7mnzBBsz4wKY5fTtTQBm')
    if (text.startsWith('xpub'))
      expect(answerTo(text)).toBe(
        hasPrivate ? privateKey : 'is an extended key whose parts cannot be right (BIP-32)',
      )
  })
})

describe('BIP-84 and BIP-86', () => {
  const words =
    'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(words))
  const { receiving, change } = branches

  test.each([
    [
      receiving,
      0,
      '0330d54fd0dd420a6e5f8d3624f5f3482cae350f79d5f0753bf5beef9c2d91af3c',
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    ],
    [
      receiving,
      1,
      '03e775fd51f0dfb8cd865d9ff1cca2a158cf651fe997fdc9fee9c1d3b5e995ea77',
      'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g',
    ],
    [
      change,
      0,
      '03025324888e429ab8e3dbaf1f7802648b9cd01e9b418485c5fa4c1b9b5700e1a6',
      'bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el',
    ],
  ])(
    '[K-02] P2WPKH at m/84h/0h/0h/%i/%i: its public key and its address',
    (branch, index, publicKey, address) => {
      const account = bitcoinAccount(root.derive("m/84'/0'/0'").publicExtendedKey, main)
      expect(bytesToHex(childKey(account.key, branch, index))).toBe(publicKey)
      expect(addressAt(account, branch, index)).toBe(address)
    },
  )

  test('[K-02] the private keys of BIP-84, in its own form too, are refused', () => {
    for (const text of [
      'zprvAWgYBBk7JR8Gjrh4UJQ2uJdG1r3WNRRfURiABBE3RvMXYSrRJL62XuezvGdPvG6GFBZduosCc1YP5wixPox7zhZLfiUm8aunE96BBa4Kei5',
      'zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm1yYNZKEm7z6qUWCroSQnE',
      'KyZpNDKnfs94vbrwhJneDi77V6jF64PWPF8x5cdJb8ifgg2DUc9d',
      'Kxpf5b8p3qX56DKEe5NqWbNUP9MnqoRFzZwHRtsFqhzuvUJsYZCy',
      'KxuoxufJL5csa1Wieb2kp29VNdn92Us8CoaUG3aGtPtcF3AzeXvF',
    ])
      for (const given of [text, `wpkh(${text})`]) expect(answerTo(given)).toBe(privateKey)
    expect(answerTo(words)).toBe(privateKey)
  })

  test('[K-02] the key of BIP-86’s account is that of its words', () => {
    expect(root.derive("m/86'/0'/0'").publicExtendedKey).toBe(
      'xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ',
    )
  })

  test.each([
    [
      receiving,
      0,
      'cc8a4bc64d897bddc5fbc2f670f7a8ba0b386779106cf1223c6fc5d7cd6fc115',
      '5120a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c',
      'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    ],
    [
      receiving,
      1,
      '83dfe85a3151d2517290da461fe2815591ef69f2b18a2ce63f01697a8b313145',
      '5120a82f29944d65b86ae6b5e5cc75e294ead6c59391a1edc5e016e3498c67fc7bbb',
      'bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh',
    ],
    [
      change,
      0,
      '399f1b2f4393f29a18c937859c5dd8a77350103157eb880f02e8c08214277cef',
      '5120882d74e5d0572d5a816cef0041a96b6c1de832f6f9676d9605c44d5e9a97d3dc',
      'bc1p3qkhfews2uk44qtvauqyr2ttdsw7svhkl9nkm9s9c3x4ax5h60wqwruhk7',
    ],
  ])(
    '[K-02] P2TR at m/86h/0h/0h/%i/%i: its internal key, its script and its address',
    (branch, index, internal, script, address) => {
      const account = bitcoinAccount(`tr(${root.derive("m/86'/0'/0'").publicExtendedKey}/<0;1>/*)`, main)
      expect(bytesToHex(childKey(account.key, branch, index).slice(1))).toBe(internal)
      expect(bytesToHex(outputScript(account, branch, index))).toBe(script)
      expect(addressAt(account, branch, index)).toBe(address)
    },
  )
})

describe('BIP-173 and BIP-350', () => {
  test.each([
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
      '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
    ],
    [
      'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
      '5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6',
    ],
    ['BC1SW50QGDZ25J', '6002751e'],
    ['bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', '5210751e76e8199196d454941c45d1b3a323'],
    [
      'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy',
      '0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
    ],
    [
      'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c',
      '5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
    ],
    [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
  ])('[K-02] %s and its script, both ways', (address, script) => {
    const [network, other] = /^tb/i.test(address) ? [testnet, main] : [main, testnet]
    expect(bytesToHex(scriptOfAddress(address, network)!)).toBe(script)
    expect(addressOfScript(hexToBytes(script), network)).toBe(address.toLowerCase())
    expect(scriptOfAddress(address, other)).toBeUndefined()
  })

  test.each([
    // Of BIP-350.
    'tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
    'tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf',
    'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh',
    'tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47',
    'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4',
    'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R',
    'bc1pw5dgrnzv',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav',
    'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P',
    'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf',
    'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j',
    'bc1gmk9yu',
    // Of BIP-173, beside those.
    'tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
    'BC13W508D6QEJXTDG4Y5R3ZARVARY0C5XW7KN40WF2',
    'bc1rw5uspcuh',
    'bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90',
    'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sL5k7',
    'bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du',
    'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3pjxtptv',
    // Valid by BIP-173 and not any more: bech32 of a later version than 0.
    'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7k7grplx',
    'BC1SW50QA3JX3S',
    'bc1zw508d6qejxtdg4y5r3zarvaryvg6kdaj',
  ])('[K-02] no address: %s', address => {
    for (const network of [main, testnet]) expect(scriptOfAddress(address, network)).toBeUndefined()
  })

  const strings = {
    bech32: [
      'A12UEL5L',
      'a12uel5l',
      'an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs',
      'abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw',
      '11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j',
      'split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w',
      '?1ezyfcl',
    ],
    bech32m: [
      'A1LQFN3A',
      'a1lqfn3a',
      'an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6',
      'abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx',
      '11llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllludsr8',
      'split1checkupstagehandshakeupstreamerranterredcaperredlc445v',
      '?1v759aa',
    ],
    neither: [
      ' 1xj0phk',
      '\u007f1g6xzxy',
      '\u00801vctc34',
      'an84characterslonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11d6pts4',
      'qyrz8wqd2c9m',
      '1qyrz8wqd2c9m',
      'y1b0jsk6g',
      'lt1igcx5c0',
      'in1muywd',
      'mm1crxm3i',
      'au1s5cgom',
      'M1VUXWEZ',
      '16plkw9',
      '1p2gdwpf',
    ],
  }

  test.each(Object.entries(strings))(
    '[K-02] the strings of %s are of that kind alone, and no address',
    (kind, texts) => {
      for (const text of texts) {
        const decodes = [bech32, bech32m].map(coder => coder.decodeUnsafe(text) !== undefined)
        expect({ text, decodes }).toEqual({ text, decodes: [kind === 'bech32', kind === 'bech32m'] })
        for (const network of [main, testnet]) expect(scriptOfAddress(text, network)).toBeUndefined()
      }
    },
  )
})

describe('BIP-380', () => {
  /** Whether a descriptor with its checksum is as it must be. */
  const isChecked = (text: string) => {
    const [descriptor, checksum] = [text.slice(0, text.indexOf('#')), text.slice(text.indexOf('#') + 1)]
    return descriptorChecksum(descriptor) === checksum
  }

  test('[K-02] the checksum of a descriptor, and each error in it', () => {
    expect(isChecked('raw(deadbeef)#89f8spxm')).toBe(true)
    for (const text of [
      'raw(deadbeef)#',
      'raw(deadbeef)#89f8spxmx',
      'raw(deadbeef)#89f8spx',
      'raw(deedbeef)#89f8spxm',
      'raw(deedbeef)##9f8spxm',
      'raw(Ü)#00000000',
    ])
      expect({ text, isChecked: isChecked(text) }).toEqual({ text, isChecked: false })
  })

  test('[K-02] a descriptor of an account with each of these errors is refused', () => {
    const key =
      'xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ'
    const descriptor = `tr([73c5da0a/86h/0h/0h]${key}/<0;1>/*)`
    const checksum = descriptorChecksum(descriptor)!
    expect(answerTo(descriptor)).toBe('taken')
    expect(answerTo(`${descriptor}#${checksum}`)).toBe('taken')
    const wrong = 'has a wrong checksum (BIP-380): a letter is missing or mistyped'
    expect(answerTo(`${descriptor}#`)).toBe(wrong)
    expect(answerTo(`${descriptor}#${checksum}x`)).toBe(wrong)
    expect(answerTo(`${descriptor}#${checksum.slice(0, -1)}`)).toBe(wrong)
    expect(answerTo(`${descriptor.replace('73c5', '73d5')}#${checksum}`)).toBe(wrong)
    expect(answerTo(`${descriptor}##${checksum.slice(1)}`)).toBe(wrong)
    expect(answerTo(`tr(Ü)#00000000`)).toBe(wrong)
  })

  const xpub =
    'xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL'
  const xprv =
    'xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2VbFWc'
  const master =
    'xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3pGz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U'
  const single = '0260b2003c386519fc9eadf2b5cf124dd8eea4c4e68d5e154050a9346ea98ce600'
  const wif = 'L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1'

  test.each([
    '5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss',
    wif,
    xprv,
    `[deadbeef/0h/1h/2h]${xprv}`,
    `[deadbeef/0h/1h/2h]${xprv}/3/4/5`,
    `[deadbeef/0h/1h/2h]${xprv}/3/4/5/*`,
    `${xprv}/3h/4h/5h/*`,
    `${xprv}/3h/4h/5h/*h`,
    `[deadbeef/0h/1h/2]${xprv}/3h/4h/5h/*h`,
    // These are no key expressions at all, but hold one.
    `${wif}/0`,
    `${wif}/*`,
    `${master}/2147483648`,
    `${master}/1aa`,
    `[aaaaaaaa][aaaaaaaa]${master}/2147483647'/0`,
    `aaaaaaaa]${master}/2147483647'/0`,
    `[gaaaaaaa]${master}/2147483647'/0`,
  ])('[K-02] a private key is refused in whatever stands around it, and not repeated: %s', text => {
    for (const given of [text, `wpkh(${text})`, `tr(${text})`]) expect(answerTo(given)).toBe(privateKey)
  })

  test.each([
    // One address's key, or an account's that is too deep: valid, but nothing that deposits can be given addresses of.
    single,
    '04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235',
    `[deadbeef/0h/0h/0h]${single}`,
    `[deadbeef/0'/0'/0']${single}`,
    `[deadbeef/0'/0h/0']${single}`,
    xpub,
    `[deadbeef/0h/1h/2h]${xpub}`,
    `[deadbeef/0h/1h/2h]${xpub}/3/4/5`,
    `[deadbeef/0h/1h/2h]${xpub}/3/4/5/*`,
    `${xpub}/3h/4h/5h/*`,
    `${xpub}/3h/4h/5h/*h`,
    `[deadbeef/0h/1h/2]${xpub}/3h/4h/5h/*h`,
    // Invalid.
    `[deadbeef/0h/0h/0h/*]${single}`,
    `[deadbeef/0h/0h/0h/]${single}`,
    `[deadbef/0h/0h/0h]${single}`,
    `[deadbeeef/0h/0h/0h]${single}`,
    `[deadbeef/0f/0f/0f]${single}`,
    `[deadbeef/0H/0H/0H]${single}`,
    `[deadbeef/-0/-0/-0]${single}`,
    '[deadbeef]',
  ])('[K-02] no account’s key: %s', text => {
    for (const given of [text, `wpkh(${text})`, `tr(${text})`]) expect(answerTo(given)).not.toBe('taken')
  })

  const account =
    'xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ'

  test.each(['86h/0h/0h', "86'/0'/0'", "86'/0h/0'"])('[K-02] the origin of an account is read: %s', steps => {
    const { origin } = parseAccountKey(`[deadbeef/${steps}]${account}`)
    expect(origin).toEqual({
      fingerprint: 0xdeadbeef,
      path: [86 + HARDENED_OFFSET, HARDENED_OFFSET, HARDENED_OFFSET],
    })
  })

  test.each([
    'deadbeef/86h/0h/0h/*',
    'deadbeef/86h/0h/0h/',
    'deadbef/86h/0h/0h',
    'deadbeeef/86h/0h/0h',
    'deadbeef/86f/0f/0f',
    'deadbeef/-86/-0/-0',
    'gaaaaaaa/86h/0h/0h',
    'deadbeef/2147483648/0h/0h',
    'deadbeef/1aa/0h/0h',
  ])('[K-02] an account with an origin that is none is refused: %s', origin => {
    expect(answerTo(`[${origin}]${account}`)).toBe(
      'has an origin that is not of the form [fingerprint/84h/0h/0h]',
    )
  })
})
