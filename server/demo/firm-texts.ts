import type { FirmTexts } from '#shared/contract/firm-texts.ts'

/** What the demonstration's firm says of itself: the specification's sample copy (P-03 to P-07). */
export const sampleTexts: FirmTexts = {
  heading: 'Private equity with books you can check',
  introduction: 'We invest in operating businesses and property.',
  footerLine: 'A firm whose investors can check its books.',
  description:
    'A private equity firm whose investors can check its books: double entry, append-only, to the cent. Every earning names the return that paid it.',
  teaserHeading: 'An old trade, with the ledger open',
  teaser: [
    'Probity does one thing: buy into businesses that earn money, help them to earn more, and share what was earned with the people who paid for it.',
    'What investors miss most is not another promise. It is a way to check the last one. So we built the firm around its books, and opened them.',
  ].join('\n\n'),
  aboutHeading: 'A private equity firm that shows its working',
  aboutLead:
    'Probity invests in operating businesses and property for people who want to know where a return comes from.',
  storyHeading: 'Most firms ask for trust. We would rather be checked',
  story: [
    'Private equity is a long trade with short reports: money goes in, a figure comes back, and what happened between the two is a matter of faith.',
    'We keep the part in between. A return exists here only once it has been realised and recorded: how much, on what, on which day, with the paper that shows it. Earnings are paid out of those records and out of nothing else, so that one investor’s deposit can never be another investor’s profit.',
    'It makes us slower to promise and easier to check. We think that is the right way round.',
  ].join('\n\n'),
  values: [
    {
      title: 'A culture of integrity',
      text: 'We say what we know, what we aim for and what we do not know, and we keep the three apart.',
    },
    {
      title: 'An operator-first philosophy',
      text: 'Businesses are made by the people who run them. We back them, ask hard questions and stay out of their way.',
    },
    {
      title: 'Segment-focused investors',
      text: 'Three segments, known well. Depth is the only advantage that cannot be bought at short notice.',
    },
    {
      title: 'A lower middle-market focus',
      text: 'Companies too small for the large funds and too good to be left alone: there a fair price still exists.',
    },
  ],
  services: [
    {
      title: 'Expert Guidance',
      text: 'Personalised planning: how much, for how long and towards what, with somebody who will also tell you when not to invest.',
    },
    {
      title: 'Diverse Investment Opportunities',
      text: 'Technology, property and retirement plans, in ranges for a first step and for a family’s savings.',
    },
    {
      title: 'Transparent Performance Tracking',
      text: 'Your dashboard and your statement are read from the same ledger that we work with, to the cent and to the minute.',
    },
  ],
  sectorsHeading: 'Three sectors, known well',
  sectorsLead: 'We would rather miss a fashion than buy what we cannot judge.',
  servicesLead:
    'Three fields, and the same question in each: what was earned, by whom, and where is the paper that shows it?',
  sectors: [
    {
      title: 'Information Technology',
      brief: 'Software and services that businesses pay for every month and would miss the next morning.',
      text: 'The companies that we look for are rarely in the news. They schedule the lorries, settle the invoices and keep the records of trades that nobody finds glamorous, and their customers renew because leaving would cost more than staying.',
      seek: [
        'Recurring revenue, and customers who stay',
        'Founders who still talk to customers',
        'Growth that the company earns itself',
      ],
      avoid: ['What needs the next round of funding to survive', 'A single customer who could end it'],
      evidence: 'Distribution notices and bank confirmations of what a company has paid out.',
      drawing: 'technology',
    },
    {
      title: 'Real Estate',
      brief: 'Buildings with tenants in them: light industrial, small offices and homes that are let.',
      text: 'Rent is a return that arrives every month and can be shown to anybody who asks. We look at the lease before the building, and at the tenant before the lease.',
      seek: [
        'Tenants in place, on leases with years to run',
        'Repairs that can be costed before the purchase',
        'Streets where the next tenant is easy to find',
      ],
      avoid: ['Prices that only a higher price could justify', 'Building sites'],
      evidence: 'Rent received, net of costs, and settlement statements of sales.',
      drawing: 'property',
    },
    {
      title: 'Retirement Plans',
      brief: 'Plans over years rather than weeks, for money that has to be there when work ends.',
      text: 'A long horizon forgives a bad quarter and punishes a bad habit. So the plan is written down before the first dollar goes in: how much, for how long, and what would make us change it.',
      seek: [
        'Holdings spread over both other sectors',
        'Costs that are known in advance',
        'A pace that fits the year you stop working',
      ],
      avoid: ['Anything that must be sold in a hurry', 'Targets that only a good year would meet'],
      evidence: 'The returns of the holdings, each recorded where it was earned.',
      drawing: 'retirement',
    },
  ],
  processLead: 'Personalised planning at the start, transparent performance tracking all the way.',
  questions: [
    {
      title: 'How quickly can your holdings be sold?',
      text: 'Not quickly: private equity is illiquid. Invest only what you can leave alone for the whole duration.',
    },
  ],
  contactLead: 'Ask before you invest. Your message goes to a person, not to a queue of canned answers.',
}
