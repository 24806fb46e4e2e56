import type { Person } from './person.ts'
import type { Order } from './shop.ts'

/** From anywhere, by words of the caller: opens the order. */
export async function findOrder(person: Person, { order, words }: { order: Order; words: string }): Promise<void> {
  const { page, hands } = person
  const found = page.getByRole('option', { name: order.number })
  if (hands === 'mouse') await person.click(page.getByRole('button', { name: 'Find or do' }).first())
  else await person.press('Control+k')
  await person.sees('the palette', page.getByRole('combobox', { name: 'Find or do' }))
  await person.type(words)
  await person.sees('what was found', found)
  if (hands === 'mouse') await person.click(found)
  else await person.press('Enter')
}
