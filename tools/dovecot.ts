import { type DebianProgram, findProgram, installProgram } from './debian.ts'

/** The mail server whose mailboxes tests read over IMAP. */
const dovecot: DebianProgram = {
  name: 'dovecot',
  variable: 'DOVECOT_PATH',
  packages: ['dovecot-imapd'],
  elsewhere: 'Dovecot with IMAP',
}

export const findDovecot = () => findProgram(dovecot)
export const installDovecot = () => installProgram(dovecot)
