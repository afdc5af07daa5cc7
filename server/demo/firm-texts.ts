import type { FirmTexts } from '#shared/contract/firm-texts.ts'

/** The demonstration firm's texts: the specification's sample copy (P-03 to P-07). */
export const sampleTexts: FirmTexts = {
  heading: 'Private equity with books you can check',
  introduction: 'We invest in operating businesses and property.',
  footerLine: 'A firm whose investors can check its books.',
  description:
    'A private equity firm whose investors can check its books: double-entry, append-only, to the cent. Every earning names the return that paid it.',
  teaserHeading: 'An old business with open books',
  teaser: [
    'Probity does one thing: invest in businesses that earn money, help them earn more, and share the returns with the people who funded them.',
    'Investors don’t need another promise. They need a way to check the last one. So we built the firm around its books, and opened them.',
  ].join('\n\n'),
  aboutHeading: 'A private equity firm that shows its working',
  aboutLead:
    'Probity invests in operating businesses and property for people who want to know where a return comes from.',
  storyHeading: 'Most firms ask for trust. We would rather be checked',
  story: [
    'Private equity takes years and reports little: money goes in, a figure comes back, and what happened in between is a matter of faith.',
    'We record what happens in between. Here a return exists only once it has been realised and recorded: how much, from what, on which day, with the document that proves it. We pay earnings from those records and nothing else, so one investor’s deposit can never be another investor’s profit.',
    'That makes us slower to promise and easier to check. We think that is the right way round.',
  ].join('\n\n'),
  values: [
    {
      title: 'A culture of integrity',
      text: 'We say what we know, what we aim for and what we don’t know, and we keep the three apart.',
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
      text: 'Companies too small for the big funds but too good to ignore, where prices are still fair.',
    },
  ],
  services: [
    {
      title: 'Expert Guidance',
      text: 'Personalised planning: how much, for how long and towards what, with someone who will also tell you when not to invest.',
    },
    {
      title: 'Diverse Investment Opportunities',
      text: 'Technology, property and retirement plans, from a first step to a family’s savings.',
    },
    {
      title: 'Transparent Performance Tracking',
      text: 'Your dashboard and your statement come from the same ledger that we use, to the cent and to the minute.',
    },
  ],
  sectorsHeading: 'Three sectors, known well',
  sectorsLead: 'We would rather miss a fashion than buy what we cannot judge.',
  servicesLead:
    'Three fields, and the same question in each: what was earned, by whom, and which document proves it?',
  sectors: [
    {
      title: 'Information Technology',
      brief: 'Software and services that businesses pay for every month and would miss the next morning.',
      text: 'The companies we look for are rarely in the news. They schedule lorries, settle invoices and keep records for unglamorous industries. Their customers renew because leaving would cost more than staying.',
      seek: [
        'Recurring revenue, and customers who stay',
        'Founders who still talk to customers',
        'Growth that the company earns itself',
      ],
      avoid: ['Companies that need the next funding round to survive', 'Dependence on a single customer'],
      evidence: 'Distribution notices, and bank confirmations of what a company has paid.',
      drawing: 'technology',
    },
    {
      title: 'Real Estate',
      brief: 'Buildings with tenants: light industrial, small offices and rented homes.',
      text: 'Rent is a return that arrives every month and that we can show to anyone who asks. We look at the lease before the building, and at the tenant before the lease.',
      seek: [
        'Tenants in place, with years left on their leases',
        'Repairs that can be costed before the purchase',
        'Streets where the next tenant is easy to find',
      ],
      avoid: ['Prices that only a higher price could justify', 'Building sites'],
      evidence: 'Rent received, net of costs, and settlement statements of sales.',
      drawing: 'property',
    },
    {
      title: 'Retirement Plans',
      brief: 'Plans over years rather than weeks, for money that has to be there when you stop working.',
      text: 'A long horizon forgives a bad quarter and punishes a bad habit. So we write the plan down before the first dollar goes in: how much, for how long, and what would make us change it.',
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
      title: 'When is my deposit credited?',
      text: 'A payment to an address of your own is credited once its network has confirmed it often enough: its page counts the confirmations. A payment to a fixed address is credited once our team has checked it. Only what arrived is credited.',
    },
    {
      title: 'What if I pay too little, too much or too late?',
      text: 'Your payment is not lost. The deposit’s page says what arrived and what you can do. A payment in time keeps the locked rate; a late one gets the rate of its arrival.',
    },
    {
      title: 'What does a plan’s target mean?',
      text: 'What we aim for on the amount over the whole term, simple and not compounded. It is no interest and no promise. If we realise less, you earn less, or nothing.',
    },
    {
      title: 'Where do my earnings come from?',
      text: 'From returns that we have realised and recorded, and from nothing else. Our books refuse an earning that no recorded return covers. You can see the evidence of each return; the books cannot prove that it is true.',
    },
    {
      title: 'Can I see what paid an earning?',
      text: 'Yes. Open the earning on your dashboard: it names the return that paid it, the day, and the evidence, which you can save or follow.',
    },
    {
      title: 'How do I check your books?',
      text: 'We sign and publish them every day. The page Check our books yourself says how anyone can check them, and what that does not prove. Your statement checks your own transactions in your browser.',
    },
    {
      title: 'How long does a withdrawal take?',
      text: 'A person approves each one, and a second person each large one. Then we pay it from a wallet that this website cannot spend from. The page Withdraw funds shows how long recent ones took, once there have been enough of them.',
    },
    {
      title: 'Will you ever ask for a payment before a withdrawal?',
      text: 'No: no fee, no tax, no deposit. Anyone who asks for one in our name is an impostor. Please tell us.',
    },
    {
      title: 'Can I cancel a request?',
      text: 'Yes, while it is pending: an unpaid deposit, an investment or a withdrawal. What was on hold is then available again.',
    },
    {
      title: 'I lost my phone. How do I get in?',
      text: 'Use one of the recovery codes that you saved, or a passkey. Without either, write to us. Two of our admins must agree to a reset, and we email you before it takes effect, so that you can object.',
    },
    {
      title: 'How quickly can your holdings be sold?',
      text: 'Not quickly: private equity is illiquid. Invest only what you can leave invested for the whole term.',
    },
    {
      title: 'Are you regulated?',
      text: 'No. This is a fictional firm for demonstration. It is not licensed or regulated by any authority.',
    },
  ],
  contactLead: 'Ask before you invest. A person will read your message and reply.',
}
