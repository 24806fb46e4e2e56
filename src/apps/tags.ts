import type { Tag } from '#platform/http/openapi.ts'

/** The chapters of the API reference, in their order. */
export const TAGS: readonly Tag[] = [
  {
    name: 'Businesses',
    description: 'A business with its settings and markets. Almost everything else belongs to one.',
  },
  { name: 'Products', description: 'What a business sells, with variants and a price for each market.' },
  { name: 'Stock', description: 'How much there is of each variant, and a ledger of why.' },
  { name: 'Categories', description: 'A tree of categories that products name, with texts for each locale.' },
  { name: 'Media', description: 'Pictures and other files, uploaded once and used in many places.' },
  { name: 'Promo codes', description: 'Discounts for a word: for whom, where, when and how often.' },
  { name: 'Import and export', description: 'Many products at once, as NDJSON or CSV.' },
  { name: 'Checkout', description: 'From a cart to a paid order.' },
  {
    name: 'Callouts',
    description:
      'Services of a business that are asked while somebody waits: taxes, shipping rates, is the cart valid.',
  },
  { name: 'Orders', description: 'Orders, with a history of their state and one of their payment.' },
  { name: 'Customers', description: 'Everybody who has ordered or subscribed, with what they have spent.' },
  { name: 'Collections', description: 'Kinds of content, each with a schema of its own.' },
  { name: 'Entries', description: 'Content: blocks with values, in a language, with a history.' },
  { name: 'Newsletters', description: 'Subscribers, sends to them, and the progress of each.' },
  { name: 'Storefront', description: 'What everybody may read of a public shop, without a token.' },
  { name: 'Reports', description: 'Sales, products, customers, promo codes and subscribers over time.' },
  { name: 'Back office', description: 'Saved views of lists, and one search for everything.' },
  { name: 'Checks', description: 'Whether the books of a business balance, by every rule that must be true of them.' },
  { name: 'Roles', description: 'The permissions of people in a business.' },
  { name: 'Invitations', description: 'How people become members of a business.' },
  { name: 'Sign in', description: 'Ways in: email, an identity provider, as a guest; and how a session goes on.' },
  {
    name: 'Second factor',
    description: 'Codes of an app, recovery codes and passkeys; proving once more who you are.',
  },
  { name: 'Staff sign-in', description: 'Staff of a business log in with its own OpenID provider.' },
  { name: 'Accounts', description: 'Your own account, its keys and sessions; users of a business.' },
  { name: 'Events', description: 'Changes to what a business owns (events), and to the business itself (audit).' },
  { name: 'Webhooks', description: 'Addresses of yours that are told of events, by signed requests.' },
  { name: 'Operator', description: 'For operators of the service: all businesses, jobs, letters and cells.' },
  { name: 'Health', description: 'For operators of the service.' },
]
