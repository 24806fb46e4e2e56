import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Permission } from '../../session/permissions.ts'

export type Topic = {
  /** The first word of its types. */
  id: string
  name: MessageDescriptor
  /** Any of these may read it, and ADMIN all. */
  readers: Permission[]
  /** What comes after the dot, and what has happened then. */
  types: Record<string, MessageDescriptor>
}

/** What an endpoint can be told of, in the order in which a shop works. */
export const TOPIC_GROUPS: { name: MessageDescriptor; topics: Topic[] }[] = [
  {
    name: msg`Orders and customers`,
    topics: [
      {
        id: 'order',
        name: msg`Orders`,
        readers: ['ORDERS_READ'],
        types: {
          created: msg`An order was placed, or written by hand`,
          paid: msg`An order was paid`,
          updated: msg`Something in an order was changed`,
          status_changed: msg`An order has another status`,
          payment_status_changed: msg`A payment has another status`,
          shipped: msg`A parcel was sent`,
          returned: msg`Goods came back`,
          refund_requested: msg`A refund was asked for`,
          refunded: msg`Money was paid back`,
          refund_failed: msg`A refund failed; a person is needed`,
          cancelled: msg`An order was cancelled`,
          expired: msg`An order was not paid in time`,
          commented: msg`A colleague wrote a comment`,
          mail_sent: msg`Email sent to the customer or the business`,
          erased: msg`The customer was erased from an order`,
        },
      },
      {
        id: 'payment',
        name: msg`Payments that do not match`,
        readers: ['ORDERS_READ'],
        types: {
          mismatch: msg`Another amount was paid than was asked for`,
          unexpected: msg`A plan was paid twice, or is gone`,
        },
      },
      {
        id: 'customer',
        name: msg`Customers`,
        readers: ['ORDERS_READ'],
        types: {
          updated: msg`The tags of a customer were changed`,
          commented: msg`A colleague wrote a comment on a customer`,
        },
      },
    ],
  },
  {
    name: msg`Goods`,
    topics: [
      {
        id: 'product',
        name: msg`Products`,
        readers: ['PRODUCTS_WRITE'],
        types: {
          created: msg`A product is new`,
          updated: msg`A product was changed`,
          deleted: msg`A product was deleted`,
        },
      },
      {
        id: 'stock',
        name: msg`Stock`,
        readers: ['PRODUCTS_WRITE'],
        types: {
          changed: msg`Pieces were taken, given back or counted`,
          low: msg`Something is running low`,
        },
      },
      {
        id: 'category',
        name: msg`Categories`,
        readers: ['PRODUCTS_WRITE'],
        types: {
          created: msg`A category is new`,
          updated: msg`A category was changed`,
          deleted: msg`A category was deleted`,
        },
      },
      {
        id: 'import',
        name: msg`Imports`,
        readers: ['PRODUCTS_WRITE'],
        types: { finished: msg`An import has ended`, undone: msg`An import was undone` },
      },
      {
        id: 'bulk_edit',
        name: msg`Bulk edits`,
        readers: ['PRODUCTS_WRITE'],
        types: { finished: msg`A bulk edit has ended` },
      },
      {
        id: 'promo',
        name: msg`Promo codes`,
        readers: ['PROMOS_WRITE'],
        types: {
          created: msg`A promo code is new`,
          updated: msg`A promo code was changed`,
          deleted: msg`A promo code was deleted`,
        },
      },
      {
        id: 'media',
        name: msg`Pictures and files`,
        readers: ['PRODUCTS_WRITE', 'CONTENT_READ_DRAFTS'],
        types: {
          ready: msg`A file can be used`,
          rejected: msg`A file was not accepted`,
          updated: msg`What is known of a file was changed`,
          deleted: msg`A file was deleted`,
        },
      },
    ],
  },
  {
    name: msg`Content and letters`,
    topics: [
      {
        id: 'entry',
        name: msg`Entries`,
        readers: ['CONTENT_READ_DRAFTS'],
        types: {
          created: msg`An entry is new`,
          updated: msg`An entry was changed`,
          published: msg`An entry was published`,
          publish_failed: msg`An entry could not be published; a person is needed`,
          deleted: msg`An entry was deleted`,
        },
      },
      {
        id: 'collection',
        name: msg`Collections`,
        readers: ['CONTENT_READ_DRAFTS'],
        types: {
          created: msg`A collection is new`,
          updated: msg`A collection was changed`,
          deleted: msg`A collection was deleted`,
        },
      },
      {
        id: 'newsletter',
        name: msg`Letters`,
        readers: ['SUBSCRIBERS_READ'],
        types: {
          send_planned: msg`A letter was planned`,
          send_started: msg`A letter is being sent`,
          send_paused: msg`A letter was paused`,
          send_resumed: msg`A letter goes on`,
          send_cancelled: msg`A letter was cancelled`,
          send_failed: msg`A letter could not be sent; a person is needed`,
          send_done: msg`A letter was sent`,
          wish_made: msg`A reader waits for something sold out`,
          automation_created: msg`An automatic letter is new`,
          automation_updated: msg`An automatic letter was changed`,
          automation_failed: msg`An automatic letter could not be sent`,
          automation_deleted: msg`An automatic letter was deleted`,
        },
      },
      {
        id: 'subscription',
        name: msg`Subscriptions`,
        readers: ['SUBSCRIBERS_READ'],
        types: {
          created: msg`Somebody subscribed`,
          confirmed: msg`Somebody confirmed their address`,
          paid: msg`A paid subscription began, or came back`,
          changed: msg`A subscription was changed`,
          past_due: msg`A payment for a subscription is overdue`,
          cancelled: msg`A subscription has ended`,
          bounced: msg`A letter could not be delivered`,
          complained: msg`A reader called a letter spam`,
          unsuppressed: msg`An address is written to again`,
        },
      },
      {
        id: 'subscriber_import',
        name: msg`Imports of readers`,
        readers: ['SUBSCRIBERS_READ'],
        types: { finished: msg`An import of readers has ended` },
      },
    ],
  },
  {
    name: msg`Business`,
    topics: [
      {
        id: 'business',
        name: msg`Settings`,
        readers: [],
        types: { updated: msg`The settings of the business were changed` },
      },
      {
        id: 'check',
        name: msg`Checks`,
        readers: [],
        types: { failed: msg`Figures were found that do not add up` },
      },
      {
        id: 'member',
        name: msg`Team`,
        readers: [],
        types: {
          invited: msg`Somebody was invited`,
          invitation_declined: msg`An invitation was declined`,
          invitation_revoked: msg`An invitation was withdrawn`,
          role_given: msg`Somebody got a role`,
          role_taken: msg`A role was taken from somebody`,
          removed: msg`Somebody left the team`,
        },
      },
      {
        id: 'role',
        name: msg`Roles`,
        readers: [],
        types: {
          created: msg`A role is new`,
          updated: msg`A role was changed`,
          deleted: msg`A role was deleted`,
        },
      },
      {
        id: 'webhook_endpoint',
        name: msg`Webhooks themselves`,
        readers: [],
        types: {
          created: msg`An endpoint is new`,
          updated: msg`An endpoint was changed`,
          secret_rotated: msg`An endpoint got another secret`,
          disabled: msg`An endpoint was switched off by itself`,
          deleted: msg`An endpoint was deleted`,
        },
      },
    ],
  },
]

export const TOPICS: readonly Topic[] = TOPIC_GROUPS.flatMap(({ topics }) => topics)

/** All that happens. */
export const EVERYTHING = '*'
export const wholeOf = ({ id }: Topic) => `${id}.*`
export const typesOf = ({ id, types }: Topic) => Object.keys(types).map((type) => `${id}.${type}`)
/** `order.paid` is of the topic `order`. */
export const topicOf = (type: string) => TOPICS.find(({ id }) => id === type.split('.', 1)[0])
