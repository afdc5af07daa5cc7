import { defineRefusals } from '#shared/refusals.ts'

/** Why a proof of reserves cannot be made, signed or published. */
export const reserveRefusals = defineRefusals({
  nothing_sealed: () => 'No epoch has ended yet, so there is nothing that a message could name.',
  not_monitored: ({ network }: { network: string }) =>
    `No node of ${network} is configured, so balances there cannot be read.`,
  wrong_address: ({ address, network }: { address: string; network: string }) =>
    `${address} is no address of ${network}.`,
  not_open: () => 'This proof takes no more signatures. Start a new one.',
  expired: ({ epochs }: { epochs: number }) =>
    `The message is more than ${epochs} epochs old, so nobody would accept it. Start a new proof.`,
  not_asked: ({ address }: { address: string }) => `${address} holds nothing in this proof.`,
  signed: ({ address }: { address: string }) => `${address} has signed already.`,
  invalid: ({ address, why }: { address: string; why: string }) =>
    `This does not prove ${address}: ${why}. Sign exactly this message with the key of exactly this address.`,
  not_judged: ({ address, why }: { address: string; why: string }) =>
    `We cannot check this signature of ${address}: ${why}.`,
  contract_refused: ({ address }: { address: string }) =>
    `The contract ${address} does not accept this signature (EIP-1271). All its owners must have signed.`,
  unsigned: () => 'No address has signed yet. Add a signature first.',
  not_verified: ({ why }: { why: string }) =>
    `Nothing was published, because every verifier would refuse this proof: ${why}. Start a new one.`,
  document_twice: () => 'A document with this SHA-256 is on the list already.',
  document_decided: () => 'This asset was confirmed or taken off the list already.',
})
