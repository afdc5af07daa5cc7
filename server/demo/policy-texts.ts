import { leastAge } from '#shared/limits.ts'
import type { PolicyKind } from '#shared/policies.ts'

const terms = `These are the terms of a demonstration. The firm does not exist, and nobody may send it money. They show how a firm would write them here.

## Who we are

Probity Capital Partners (fictional), 1 Sample Street, Sydney NSW 2000, Australia. “We” is the firm; “you” are the person who holds an account.

## Your account

- You are at least ${leastAge} years old, and you open one account, for yourself.
- Keep your password and your second factor to yourself. Freeze your account at once if you think that somebody else knows them.
- We may close the registration. We do not close accounts with money in them without paying it out.

## Deposits and investments

- You pay in the coin, on the network and to the address that we show you, before the time shown. We credit what arrives at the rate we showed you.
- You choose a plan. Its percentage is a target for the whole term, not a promise. You can lose money.
- We invest your money in the plan’s term. You keep the version of the plan that you chose, whatever we change later.
- We pay earnings only from returns that we have realised and recorded with evidence. We never pay them from deposits.

## Withdrawals

- You can withdraw your available balance at any time to a wallet of your own. We charge no fee, and we never ask for a payment to release one.
- Large withdrawals need the approval of two people. A new address may have to wait before we pay to it.

## The books

We keep every balance in an append-only ledger and publish proof of it. You can check it without asking us.

## Changes

We tell you about changed terms at least fourteen days before they come into force. You need not accept them to withdraw your money.`

const privacy = `This is the privacy notice of a demonstration. Do not enter real data.

## What we keep

- Your name, email address, telephone number and country, to run your account.
- Your deposits, investments, earnings and withdrawals, because the books must be complete.
- Your sessions and the devices you log in from, to protect your account.
- What you write to us, and the files you send with it.

## What we publish

We publish our books so that anyone can check them. Your transactions appear there with their day and amount, never with your name. Your profile says how, and lets you erase the link.

## Who sees it

Our staff, each only what their role needs. Every act of theirs leaves a line in a log that cannot be changed.

## How long

Records of money for as long as the law asks. Sessions for as long as they last, and some weeks after.

## What you can ask of us

A copy of your data, a correction, and the deletion of what no law makes us keep. Write to us under Messages in your account.`

const risk = `Private equity is illiquid and can lose all of its value. Invest only what you can afford to lose.

## Targets

A plan’s percentage is what we aim for over the whole term. It is not a forecast, and no earning is owed until we have recorded a return.

## Your money is bound

You cannot withdraw the principal before the plan’s end.

## Coins

The value of a coin changes while a payment is on its way. We lock the rate for a payment that arrives in time; one that arrives late is worth what it is worth then. A payment on the wrong network may be lost.

## No guarantee

No deposit insurance covers your balance. If we become insolvent, you may not get it back.`

const cookies = `We set no cookies for advertising and count no visitors.

- One cookie remembers that this browser has shown the start screen.
- Another keeps the light or dark theme, if you have chosen one.
- After you log in, your browser keeps your session and a copy of what your dashboard shows, so that it opens quickly. Logging out removes both.

If the firm has switched on a live chat, its provider may set cookies of its own once you open it.`

const complaints = `Tell us first: under Messages in your account, or by email. Say what happened, when, and what you want us to do.

1. We confirm within two working days that we have your complaint.
2. A colleague who was not involved looks into it, and writes to you within fifteen working days with a decision and its reasons.
3. If you do not agree, ask us for a second decision by a director, within another fifteen working days.

A licensed firm would name the ombudsman or the authority here that decides after that. This is a demonstration, and there is none.`

/** The demonstration's policies. They describe this product, and say that the firm does not exist. */
export const samplePolicies: Record<PolicyKind, string> = { terms, privacy, risk, cookies, complaints }
