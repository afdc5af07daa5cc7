import { z } from 'zod'
import { msg } from '#shared/i18n/t.ts'
import { defineCall, fileContent } from './define.ts'
import { timeZone } from './fields.ts'

export const downloadArchive = defineCall({
  id: 'archive.download',
  method: 'GET',
  path: '/auth/me/archive.zip',
  permission: 'account',
  file: 'application/zip',
  summary:
    'All that we hold about the caller as one ZIP: JSON and CSV of every record, files of conversations, yearly statements and letters; README.txt explains each file. Needs a recent reauthentication',
  message: msg('All your data'),
  /** The zone of the yearly statements and letters; all other times are UTC. */
  query: z.object({ zone: timeZone.default('UTC') }),
  data: fileContent,
  refusals: ['proof_required'],
})
