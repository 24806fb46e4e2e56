import { type Static, Type } from 'typebox'
import { newId } from './ids.ts'
import { idOf } from './schemas.ts'

const MediaId = idOf('med', '01jcq3v7k8f5t9x2m4n6p8r0sw')
export const MediaUrl = Type.String({
  maxLength: 2048,
  // One character of the host, then anything that needs no quoting: an unambiguous pattern matches in linear time.
  pattern: '^https?://[^\\s/?#"<>\\\\][^\\s"<>\\\\]*$',
  'x-says': { pattern: 'must be a whole address that begins with http:// or https://' },
  description: 'Absolute, http or https.',
  examples: ['https://cdn.example.com/mug.png'],
})
const MimeType = Type.String({
  maxLength: 127,
  pattern: '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$',
  examples: ['image/png'],
})

/** A picture, video or other file; only its URL is stored, not its bytes. */
export const Media = Type.Object({ id: MediaId, url: MediaUrl, mimeType: MimeType }, { title: 'Media' })
export type Media = Static<typeof Media>

export const NewMedia = Type.Object({ id: Type.Optional(MediaId), url: MediaUrl, mimeType: MimeType })
export type NewMedia = Static<typeof NewMedia>

export const toMedia = ({ id, url, mimeType }: NewMedia): Media => ({ id: id ?? newId('med'), url, mimeType })
