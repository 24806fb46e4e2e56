import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Media, pictureOf, pictureUrl } from '../../packages/sdk/src/index.ts'

const rendition = (width: number, ending: string, mimeType: string) => ({
  width,
  height: width / 2,
  mimeType,
  url: `https://media.example.com/${width}.${ending}`,
})
const ladder = (ending: string, mimeType: string) => [320, 640, 1600].map((width) => rendition(width, ending, mimeType))
const FILE: Media = {
  id: 'one',
  mediaId: 'med_1',
  url: 'https://media.example.com/1280.jpg',
  mimeType: 'image/jpeg',
  width: 1600,
  height: 800,
  alt: { en: 'A mug', 'de-CH': 'Eine Tasse' },
  placeholder: 'data:image/webp;base64,AAAA',
  focalPoint: { x: 0.5, y: 0.333 },
  renditions: [...ladder('avif', 'image/avif'), ...ladder('webp', 'image/webp'), rendition(1280, 'jpg', 'image/jpeg')],
}
const ADDRESS: Media = { id: 'two', url: 'https://example.com/mug.png', mimeType: 'image/png' }

test('a picture has AVIF, then WebP in each width, and a JPEG for whoever knows neither', () => {
  assert.deepEqual(pictureOf(FILE, 'de'), {
    sources: ['avif', 'webp'].map((ending) => ({
      type: `image/${ending}`,
      srcSet: [320, 640, 1600].map((width) => `https://media.example.com/${width}.${ending} ${width}w`).join(', '),
    })),
    src: 'https://media.example.com/1280.jpg',
    width: 1280,
    height: 640,
    alt: 'Eine Tasse',
    placeholder: 'data:image/webp;base64,AAAA',
    objectPosition: '50% 33.3%',
  })
  assert.equal(pictureOf(FILE, 'fr').alt, 'A mug')
})

test('a picture that moves has no AVIF, and one that is only an address has that', () => {
  const moving = { ...FILE, renditions: [...ladder('webp', 'image/webp')] }
  assert.deepEqual(
    pictureOf(moving).sources.map(({ type }) => type),
    ['image/webp'],
  )
  assert.deepEqual([pictureOf(moving).width, pictureOf(moving).height], [1600, 800])
  assert.deepEqual(pictureOf(ADDRESS), {
    sources: [],
    src: 'https://example.com/mug.png',
    width: undefined,
    height: undefined,
    alt: '',
    placeholder: undefined,
    objectPosition: undefined,
  })
})

test('one address is the narrowest WebP that is wide enough', () => {
  assert.equal(pictureUrl(FILE, 300), 'https://media.example.com/320.webp')
  assert.equal(pictureUrl(FILE, 321), 'https://media.example.com/640.webp')
  assert.equal(pictureUrl(FILE, 5_000), 'https://media.example.com/1600.webp')
  assert.equal(pictureUrl(ADDRESS, 300), ADDRESS.url)
})
