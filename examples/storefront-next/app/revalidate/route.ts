import { createHash, timingSafeEqual } from 'node:crypto'
import { revalidateTag } from 'next/cache'
import { revalidateSecret } from '../../lib/settings.ts'

const hash = (text: string) => createHash('sha256').update(text).digest()

/** `{ tags: […] }`: what is kept under them is read anew by the next who asks. Called by follow.ts. */
export async function POST(request: Request) {
  const given = request.headers.get('authorization') ?? ''
  const isKnown = revalidateSecret !== '' && timingSafeEqual(hash(given), hash(`Bearer ${revalidateSecret}`))
  if (!isKnown) return new Response(null, { status: 401 })
  const { tags } = (await request.json()) as { tags: string[] }
  for (const tag of tags) revalidateTag(tag, { expire: 0 }) // a price that was is not to be shown once more
  return new Response(null, { status: 204 })
}
