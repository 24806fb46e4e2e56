/** What a merchant can write between `{{` and `}}` in the texts of a newsletter. */
export const VARIABLES: { name: string; description: string; example: string }[] = [
  {
    name: 'subscriber.name',
    description: 'The name that the reader gave. May be empty: `{{ subscriber.name | default: "friend" }}`.',
    example: 'Ada Lovelace',
  },
  { name: 'subscriber.email', description: 'The address that the mail goes to.', example: 'ada@example.com' },
  { name: 'business.name', description: 'The name of the business.', example: 'Harbour & Sons' },
  { name: 'newsletter.name', description: 'The name of the newsletter.', example: 'News from the harbour' },
  {
    name: 'goods.names',
    description:
      'In a letter that goes out by itself: the products of the unfinished checkout, or the one that is back. Empty in others.',
    example: 'Fog lamp, brass, Ship’s bell',
  },
  {
    name: 'goods.url',
    description: 'Where they are: the page of the product, or the shop. May be empty.',
    example: 'https://shop.example.com/p/fog-lamp',
  },
  {
    name: 'unsubscribeUrl',
    description: 'Where this reader leaves the newsletter. The foot of every mail has it already.',
    example: 'https://api.example.com/newsletters/unsubscribe?token=…',
  },
]
