import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { spellingsOf, toSearchQuery, toTerms, wordsOf } from './search-words.ts'

test('words are folded, and signs are no part of them', () => {
  assert.deepEqual(wordsOf('Crème-Brûlée, ＫＩＴ™ 2.0'), ['creme', 'brulee', 'kit', '2', '0'])
  assert.deepEqual(wordsOf(' … '), [])
})

test('a term has the weight of the place where its word comes first', () => {
  const { terms, words } = toTerms([
    ['A', ['walnut', 'table']],
    ['D', ['walnut', 'oiled', 'x2', 'of']],
  ])
  assert.equal(terms, "'walnut':1A 'table':1A 'oiled':1D 'x2':1D 'of':1D")
  assert.deepEqual(words, ['walnut', 'table', 'oiled'], 'no typos in short words or with digits')
})

test('once there are 3,000 terms, no more words are looked for', () => {
  const asked: number[] = []
  function* endless(): Generator<['A', string[]]> {
    for (let from = 0; ; from += 1_000) {
      asked.push(from)
      yield ['A', Array.from({ length: 1_000 }, (_, index) => `w${from + index}`)]
    }
  }
  const terms = toTerms(endless()).terms.split(' ')
  assert.deepEqual([terms.length, terms.at(-1), asked], [3_000, "'w2999':1A", [0, 1_000, 2_000]])
})

test('all words are asked for, the last one as a beginning unless it was finished', () => {
  assert.equal(toSearchQuery('Blue jum')?.exact, "('blue' & 'jum':*) | 'bluejum':*")
  assert.equal(toSearchQuery('Blue ')?.exact, "('blue')")
  assert.equal(toSearchQuery("'!'"), undefined)
})

test('one or two letters are no beginning for the index, which would go through the words of everybody', () => {
  assert.deepEqual([toSearchQuery('a')?.exact, toSearchQuery('a')?.prefix], ["(('a'…))", 'a'])
  assert.deepEqual(
    [toSearchQuery('blue ju')?.exact, toSearchQuery('blue ju')?.prefix],
    ["('blue' & ('ju'…)) | 'blueju':*", 'ju'],
  )
  assert.deepEqual([toSearchQuery('a ')?.exact, toSearchQuery('a ')?.prefix], ["('a')", undefined])
  assert.deepEqual([toSearchQuery('jum')?.exact, toSearchQuery('jum')?.prefix], ["('jum':*)", undefined])
  assert.equal(toSearchQuery('猫')?.exact, "('猫':*)", 'where a sign is a word')
})

test('in a word of three letters two may be swapped', () => {
  assert.deepEqual(toSearchQuery('mgu cup ')?.swapped, ["'gmu' | 'mug'", "'ucp' | 'cpu'"])
  assert.deepEqual(toSearchQuery('red mgu')?.swapped, ["'erd' | 'rde'", "'gmu':* | 'mug':*"])
  assert.deepEqual(toSearchQuery('lamp a1b of')?.swapped, ['', '', ''])
})

test('only words of letters, four at least, are asked for with a letter left out', () => {
  assert.deepEqual(toSearchQuery('red lamp ts2000')?.spellings, [
    { at: 2, spelling: 'lamp' },
    { at: 2, spelling: 'amp' },
    { at: 2, spelling: 'lmp' },
    { at: 2, spelling: 'lap' },
    { at: 2, spelling: 'lam' },
  ])
})

test('words that are one typo apart share a spelling', () => {
  const word = fc.array(fc.constantFrom<string>('a', 'b', 'ö', '𝒳'), { minLength: 2, maxLength: 8 })
  fc.assert(
    fc.property(word, fc.nat(), fc.constantFrom('a', 'c'), (letters, place, letter) => {
      const at = place % (letters.length - 1)
      const [first = '', second = ''] = letters.slice(at)
      for (const typo of [
        letters.toSpliced(at, 1),
        letters.toSpliced(at, 0, letter),
        letters.toSpliced(at, 1, letter),
        letters.toSpliced(at, 2, second, first),
      ]) {
        assert.ok(!spellingsOf(letters.join('')).isDisjointFrom(spellingsOf(typo.join(''))), typo.join(''))
      }
    }),
  )
})
