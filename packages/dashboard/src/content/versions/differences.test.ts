import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differencesOf } from './differences.ts'

const shown = (before: string, after: string) =>
  differencesOf(before, after)
    .map(({ is, text }) => (is === 'same' ? text : is === 'gone' ? `[-${text}-]` : `[+${text}+]`))
    .join('')

test('words that were changed, added and taken out are told apart', () => {
  assert.equal(shown('The old boat sails.', 'The new boat sails.'), 'The [-old-][+new+] boat sails.')
  assert.equal(shown('One two', 'One and two'), 'One [+and +]two')
  assert.equal(shown('One, two', 'One'), 'One[-, two-]')
  assert.equal(shown('Same', 'Same'), 'Same')
  assert.equal(shown('', 'Words'), '[+Words+]')
})

test('a phrase that was changed is one piece, not a sprinkle', () => {
  assert.equal(shown('a red old car', 'a blue new car'), 'a [-red old-][+blue new+] car')
})

test('both texts can be read out of the pieces, whatever they are', () => {
  const words = ['boat', ' ', 'sail', ', ', 'Ölzeug', '\n', '42', '.', 'the ']
  let seed = 7
  const next = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % most
  }
  const text = () => Array.from({ length: next(30) }, () => words[next(words.length)]).join('')
  for (let round = 0; round < 500; round++) {
    const [before, after] = [text(), text()]
    const pieces = differencesOf(before, after)
    const without = (kind: string) => pieces.filter(({ is }) => is !== kind).map((one) => one.text)
    assert.equal(without('new').join(''), before)
    assert.equal(without('gone').join(''), after)
  }
})
