import { formatAddress } from 'localized-address-format'
import type { Address } from '#vocabulary/address.ts'
import type { Business } from '#vocabulary/business.ts'
import type { OrderRow } from '../order.ts'
import { leftToShip, type Pieces } from '../shipments/shipment.ts'
import type { PAPERS } from './schemas.ts'

/** What the thread that draws is given: only texts, numbers and the logo's bytes. */
export type SlipTask = {
  paper: (typeof PAPERS)[number]
  business: string
  /** JPEG or PNG. */
  logo: Uint8Array | undefined
  /** Whose Chinese characters are meant where nothing else says it. */
  region: string
  /** Fonts for letters that ours lack. */
  fonts: string[]
  slips: Slip[]
}
export type Slip = {
  number: string
  date: string
  shipTo: string[]
  /** The country of the address. */
  region: string | undefined
  note: string
  lines: SlipLine[]
}
/** `ordered` where that is more than what is to be packed. */
type SlipLine = { quantity: number; ordered: number | null; name: string; sku: string }

/** What is left to ship. Once nothing is, everything: then it is printed again. */
export function toSlip(
  order: OrderRow,
  { defaultLocale, timeZone }: Pick<Business, 'defaultLocale' | 'timeZone'>,
  sent: { shipped: Pieces; refunded: Pieces },
): Slip {
  const left = leftToShip(order.lines, sent.shipped, sent.refunded)
  const lines = order.lines.flatMap(({ id, quantity, name, sku }) => {
    const packed = left.size === 0 ? quantity : (left.get(id) ?? 0)
    return packed === 0 ? [] : [{ quantity: packed, ordered: packed < quantity ? quantity : null, name, sku }]
  })
  return {
    number: order.number,
    date: new Intl.DateTimeFormat(defaultLocale, { dateStyle: 'long', timeZone }).format(order.createdAt),
    shipTo: shipTo(order),
    region: order.shippingAddress?.country,
    note: order.customerNote ?? '',
    lines,
  }
}

function shipTo({ shippingAddress: address, phone }: Pick<OrderRow, 'shippingAddress' | 'phone'>): string[] {
  const called = address?.phone ?? phone
  return [...(address ? addressLines(address) : []), ...(called ? [called] : [])]
}

const EAST_ASIAN = /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]/u
const countries = new Intl.DisplayNames(['en'], { type: 'region' })

/** As envelopes of that country have it. Some countries write addresses in Latin letters in another order. */
export function addressLines({ name, company, street, street2, city, state, zip, country }: Address): string[] {
  const texts = [name, company, street, street2, city, state]
  const script = texts.some((text) => EAST_ASIAN.test(text ?? '')) ? 'local' : 'latin'
  const format = (streets: string[]) =>
    formatAddress(
      {
        postalCountry: country,
        name: name ?? '',
        organization: company ?? '',
        addressLines: streets.filter((line) => line !== ''),
        locality: city ?? '',
        administrativeArea: state ?? '',
        postalCode: zip ?? '',
      },
      script,
    )
  const streets = [street ?? '', street2 ?? '']
  const lines = format(streets)
  // Some countries have no line for the city: it is one of the street's, in East Asia before the street.
  const hasCity = lines.some((line) => line.toLowerCase().includes(city?.toLowerCase() ?? ''))
  const whole = hasCity || !city ? lines : format(script === 'local' ? [city, ...streets] : [...streets, city])
  // The comma before a region of Japan stands at the beginning of a line.
  const joined = whole.join('\n').replaceAll('\n, ', ', ').split('\n')
  return [...joined, (countries.of(country) ?? country).toUpperCase()]
}
