import type { Locator, Page } from 'playwright-core'

export type Hands = 'mouse' | 'keyboard'
export type Person = ReturnType<typeof createPerson>

/**
 * How long the hands and the head of a person take, in seconds, by Card, Moran and Newell's keystroke-level model: one has
 * done it before, thinks a moment before each action that is not the rest of the one before, types 55 words a minute.
 */
const THINK = 1.35
const POINT = 1.1
const PRESS = 0.2
const CHANGE_HANDS = 0.4

/** An email address and its password are known by heart, a finger is what a passkey was pressed for: nobody thinks between them. */
type Rest = { isRest?: boolean }

type Options = {
  /** Between two keys: none where only the page is timed, some where what it does between them counts. */
  keyDelayMs?: number
  /** Called when a step of the journey can be seen. */
  onStep?: (name: string) => Promise<void>
}

/**
 * Does what a person does, and counts it: a click, a chord and a text typed or pasted are one action each. With
 * the keyboard there is no pointer; with the mouse there are no keys but those of texts.
 */
export function createPerson(page: Page, hands: Hands, { keyDelayMs = 0, onStep }: Options = {}) {
  let actions = 0
  let seconds = 0
  let at: Hands = hands
  const act = (withWhat: Hands, takes: number, { isRest = false }: Rest = {}) => {
    actions += 1
    seconds += (isRest ? 0 : THINK) + takes + (at === withWhat ? 0 : CHANGE_HANDS)
    at = withWhat
  }
  const keysIn = (chord: string) => chord.split('+').length

  return {
    page,
    hands,
    async click(target: Locator, rest?: Rest) {
      if (hands === 'keyboard') throw new Error('There is no mouse.')
      act('mouse', POINT + PRESS, rest)
      await target.click()
    },
    async press(chord: string, rest?: Rest) {
      if (hands === 'mouse') throw new Error('Only texts are typed.')
      act('keyboard', PRESS * keysIn(chord), rest)
      await page.keyboard.press(chord)
    },
    /** Into the field that has the focus: whoever wants another one has to go there first. */
    async type(text: string, rest?: Rest) {
      act('keyboard', PRESS * text.length, rest)
      await expectField(page)
      await page.evaluate(`performance.mark('typing begins')`)
      await page.keyboard.type(text, { delay: keyDelayMs })
      await page.evaluate(`performance.mark('typing ends')`)
    },
    /** What was copied elsewhere. */
    async paste(text: string) {
      act('keyboard', PRESS * 2)
      await expectField(page)
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
      await page.keyboard.press('Control+v')
    },
    /** What is done outside of the page: in the print dialog of the browser, say. */
    outside(count: number, rest?: Rest) {
      for (let done = 0; done < count; done++) act('keyboard', PRESS * 2, rest)
    },
    /** A step is there to be seen. */
    async sees(name: string, ...targets: Locator[]) {
      for (const target of targets) await target.first().waitFor()
      await onStep?.(name)
    },
    actions: () => actions,
    /** What the hands and the head take; the waiting comes on top. */
    handSeconds: () => seconds,
  }
}

async function expectField(page: Page): Promise<void> {
  const isField = await page.evaluate(`document.activeElement?.matches('input, textarea') ?? false`)
  if (!isField) throw new Error('No field has the focus.')
}
