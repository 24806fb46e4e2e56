// ISO 4217 codes in use, by their number of minor units. Not from Intl: it counts some differently and accepts unknown
// codes.
const BY_MINOR_UNITS: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE CZK
    DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT
    LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN
    QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS
    VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
}

const MINOR_UNITS = new Map(
  Object.entries(BY_MINOR_UNITS).flatMap(([digits, codes]) =>
    codes.split(/\s+/).map((code) => [code, Number(digits)] as const),
  ),
)

export const CURRENCIES = [...MINOR_UNITS.keys()]

/** The number of minor-unit digits: 2 for USD, 0 for JPY. */
export const exponentOf = (code: string) => MINOR_UNITS.get(code) ?? 2

// Cards settle three-decimal currencies in steps of 10 minor units, and the ariary has no fractions in use.
const STEPS: Record<string, number> = { BHD: 10, IQD: 10, JOD: 10, KWD: 10, LYD: 10, OMR: 10, TND: 10, MGA: 100 }

/** Every amount that is charged is a multiple of this many minor units: 10 for KWD, 1 for USD. */
export const stepOf = (code: string) => STEPS[code] ?? 1

export const isCurrency = (code: string) => MINOR_UNITS.has(code)
