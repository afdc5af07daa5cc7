import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why a proof of reserves cannot be made, signed or published. */
export const reserveRefusals = defineRefusals({
  nothing_sealed: () => t('No epoch has ended yet, so there is nothing that a message could name.'),
  not_monitored: ({ network }: { network: string }) =>
    t('No node of {network} is configured, so balances there cannot be read.', { network }),
  wrong_address: ({ address, network }: { address: string; network: string }) =>
    t('{address} is no address of {network}.', { address, network }),
  not_open: () => t('This proof takes no more signatures. Start a new one.'),
  expired: ({ epochs }: { epochs: number }) =>
    t('The message is more than {epochs} epochs old, so nobody would accept it. Start a new proof.', {
      epochs,
    }),
  not_asked: ({ address }: { address: string }) => t('{address} holds nothing in this proof.', { address }),
  signed: ({ address }: { address: string }) => t('{address} has signed already.', { address }),
  invalid: ({ address, why }: { address: string; why: string }) =>
    t(
      'This does not prove {address}: {why}. Sign exactly this message with the key of exactly this address.',
      { address, why },
    ),
  not_judged: ({ address, why }: { address: string; why: string }) =>
    t('We cannot check this signature of {address}: {why}.', { address, why }),
  contract_refused: ({ address }: { address: string }) =>
    t('The contract {address} does not accept this signature (EIP-1271). All its owners must have signed.', {
      address,
    }),
  unsigned: () => t('No address has signed yet. Add a signature first.'),
  not_verified: ({ why }: { why: string }) =>
    t('Nothing was published, because every verifier would refuse this proof: {why}. Start a new one.', {
      why,
    }),
  document_twice: () => t('A document with this SHA-256 is on the list already.'),
  document_decided: () => t('This asset was confirmed or taken off the list already.'),
})
