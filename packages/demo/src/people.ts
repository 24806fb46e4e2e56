import { createRandom } from './random.ts'

export type Person = {
  name: string
  email: string
  market: 'us' | 'eu'
  address: { street: string; city: string; state: string; zip: string; country: string }
  /** Some come back again and again. */
  loyalty: number
}

const FIRST_US =
  'Amelia Benjamin Chloe Daniel Eleanor Felix Grace Henry Isla Jonah Kate Liam Mabel Noah Olive Peter Quinn Rosa Samuel Tessa Victor Willa Xavier Yara'.split(
    ' ',
  )
const LAST_US =
  'Abbott Brennan Carver Dawson Ellery Fairbanks Garrison Holloway Ingram Jennings Keating Lowell Marsh Norwood Okafor Prescott Reyes Sinclair Thatcher Underhill Vega Whitaker'.split(
    ' ',
  )
const FIRST_EU =
  'Anneke Björn Clara Dries Elif Frida Giulia Hannes Inès Jonas Katrin Lars Marta Nils Odile Pieter Rikke Sofia Thijs Ulla Vera Wiebke'.split(
    ' ',
  )
const LAST_EU =
  'Andersen Bakker Carlsen De_Vries Eriksson Ferrari Garnier Hansen Iversen Janssen Krüger Lindqvist Martens Nowak Olsen Petersen Rossi Schröder Thomsen Visser Weber'.split(
    ' ',
  )
const STREETS_US = [
  'Wharf Street',
  'Maple Avenue',
  'Harbor View Road',
  'Elm Street',
  'Lighthouse Lane',
  'Commercial Street',
  'Pine Hill Road',
  'Front Street',
]
const CITIES_US = [
  ['Portland', 'ME', '04101'],
  ['Gloucester', 'MA', '01930'],
  ['Newport', 'RI', '02840'],
  ['Annapolis', 'MD', '21401'],
  ['Charleston', 'SC', '29401'],
  ['Astoria', 'OR', '97103'],
  ['Port Townsend', 'WA', '98368'],
  ['Duluth', 'MN', '55802'],
] as const
const PLACES_EU = [
  ['Hafenstraße', 'Lübeck', 'SH', '23552', 'DE'],
  ['Deichstraße', 'Hamburg', 'HH', '20459', 'DE'],
  ['Am Alten Hafen', 'Bremerhaven', 'HB', '27568', 'DE'],
  ['Prinsengracht', 'Amsterdam', 'NH', '1015', 'NL'],
  ['Nyhavn', 'København', '', '1051', 'DK'],
  ['Kustvägen', 'Göteborg', '', '414 51', 'SE'],
  ['Quai du Port', 'Marseille', '', '13002', 'FR'],
  ['Via del Molo', 'Genova', 'GE', '16128', 'IT'],
] as const

const COUNT = 80
const SHARE_EU = 0.4

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll('ü', 'ue')
    .replaceAll('ö', 'oe')
    .normalize('NFD')
    .replaceAll(/[^a-z]/g, '')

function makePeople(): Person[] {
  const random = createRandom('people')
  const taken = new Set<string>()
  const people: Person[] = []
  while (people.length < COUNT) {
    const isEuropean = random.chance(SHARE_EU)
    const first = random.pick(isEuropean ? FIRST_EU : FIRST_US)
    const last = random.pick(isEuropean ? LAST_EU : LAST_US).replace('_', ' ')
    const email = `${plain(first)}.${plain(last)}@example.com`
    const number = random.between(1, 180)
    const [street, city, state, zip, country] = isEuropean
      ? random.pick(PLACES_EU)
      : ([random.pick(STREETS_US), ...random.pick(CITIES_US), 'US'] as const)
    const loyalty = random.chance(0.2) ? 6 : random.between(1, 3)
    if (taken.has(email)) continue
    taken.add(email)
    const address = { street: isEuropean ? `${street} ${number}` : `${number} ${street}`, city, state, zip, country }
    people.push({ name: `${first} ${last}`, email, market: isEuropean ? 'eu' : 'us', address, loyalty })
  }
  return people
}

export const PEOPLE: readonly Person[] = makePeople()
