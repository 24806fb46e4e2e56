export type Device = { browser: string | undefined; system: string | undefined; isPhone: boolean }

/** The first that is named in it is the one: those further down claim to be others as well. */
const BROWSERS: [name: string, sign: RegExp][] = [
  ['Edge', /\bEdgA?\/|\bEdgiOS\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
]
const SYSTEMS: [name: string, sign: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Mac', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
]

const nameIn = (signs: typeof BROWSERS, text: string) => signs.find(([, sign]) => sign.test(text))?.[0]

/** What a browser says of itself, in two words. A program says something else, such as `curl/8.5.0`. */
export function deviceOf(userAgent: string | null): Device {
  const text = userAgent ?? ''
  return {
    browser: nameIn(BROWSERS, text) ?? /^([\w.-]+)\//.exec(text.replace(/^Mozilla\/.*/, ''))?.[1],
    system: nameIn(SYSTEMS, text),
    isPhone: /\bMobile\b|\biPhone\b/.test(text),
  }
}
