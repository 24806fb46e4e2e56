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
    name: 'unsubscribeUrl',
    description: 'Where this reader leaves the newsletter. The foot of every mail has it already.',
    example: 'https://api.example.com/newsletters/unsubscribe?token=…',
  },
]
