import type { CallOptions } from './send.ts'

export type Page<Item> = { items: Item[]; cursor: string | null }

/** A list. `await` gives its first page, `for await` every item of every page, `pages()` page after page. */
export type Pages<Item> = PromiseLike<Page<Item>> &
  AsyncIterable<Item> & {
    pages(): AsyncGenerator<Page<Item>, void>
    /** Every item. A list without an end in sight is better iterated. */
    all(): Promise<Item[]>
  }

type Load<Item> = (cursor: string | undefined) => Promise<Page<Item>>

/** Nothing is asked for before somebody awaits or iterates, and the first page is asked for once. */
export function toPages<Item>(load: Load<Item>, start?: string | null): Pages<Item> {
  let first: Promise<Page<Item>> | undefined
  const getFirst = () => (first ??= load(start ?? undefined))

  async function* pages() {
    let page = await getFirst()
    yield page
    while (page.cursor !== null) {
      page = await load(page.cursor)
      yield page
    }
  }
  async function* items() {
    for await (const page of pages()) yield* page.items
  }
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- on purpose: a list is its first page to those who await it
    then: (resolve, reject) => getFirst().then(resolve, reject),
    [Symbol.asyncIterator]: items,
    pages,
    async all() {
      const found: Item[] = []
      for await (const item of items()) found.push(item)
      return found
    },
  }
}

/** What every `list` takes besides its filters. */
export type ListOptions = Pick<CallOptions, 'signal' | 'timeoutMs'>
