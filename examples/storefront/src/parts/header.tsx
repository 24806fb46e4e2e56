import { useEffect, useRef, useState } from 'preact/hooks'
import { countOf, useCart } from '../state/cart.ts'
import { chooseLanguage, chooseMarket, useBusiness, useLanguage, useMarket, useSession } from '../state/kontor.ts'
import { go, usePlace } from '../state/router.ts'
import { Icon } from './icons.tsx'

const TYPING_MS = 250

export function Header() {
  const { path } = usePlace()
  const business = useBusiness().value
  const count = countOf(useCart())
  const session = useSession()
  const current = (href: string) => (path.startsWith(href) ? 'page' : undefined)
  return (
    <header class="header">
      <div class="header-row">
        <a class="brand" href="/">
          <Icon name="anchor" />
          <span>{business?.name ?? 'Harbour Goods'}</span>
        </a>
        <nav class="nav" aria-label="Shop">
          <a href="/shop" aria-current={current('/shop')}>
            Shop
          </a>
          <a href="/journal" aria-current={current('/journal')}>
            Journal
          </a>
          <a href="/orders" aria-current={current('/orders')}>
            Orders
          </a>
        </nav>
        <SearchField />
        <div class="tools">
          <LanguageChoice />
          <MarketChoice />
          <a class="tool" href="/account" aria-label={session && !session.isGuest ? 'Your account' : 'Log in'}>
            <Icon name="person" />
            {session && !session.isGuest && <span class="dot" />}
          </a>
          <a class="tool" href="/cart" aria-label={`Cart, ${count === 1 ? '1 thing' : `${count} things`}`}>
            <Icon name="cart" />
            {count > 0 && <span class="count">{count > 99 ? '99+' : count}</span>}
          </a>
        </div>
      </div>
    </header>
  )
}

/** Searches while one types. The address holds the words, so a search can be shared and gone back to. */
function SearchField() {
  const { path, query } = usePlace()
  const isList = /^\/shop(\/|$)/.test(path)
  const words = isList ? (query.get('query') ?? '') : ''
  const [typed, setTyped] = useState(words)
  const timer = useRef(0)
  useEffect(() => setTyped(words), [words])
  // Who has gone on to another page is not called back to the search.
  useEffect(() => () => window.clearTimeout(timer.current), [path])

  function search(text: string) {
    window.clearTimeout(timer.current)
    // On a list it narrows what is there: shelf and filters stay.
    const address = new URLSearchParams(isList ? window.location.search : '')
    if (text.trim()) address.set('query', text)
    else address.delete('query')
    const words = address.toString()
    go((isList ? path : '/shop') + (words && `?${words}`), { replace: isList })
  }
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          search(typed)
        }}
      >
        <Icon name="search" />
        <input
          type="search"
          aria-label="Search the shop"
          placeholder="Search"
          maxLength={200}
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value)
            window.clearTimeout(timer.current)
            timer.current = window.setTimeout(search, TYPING_MS, currentTarget.value)
          }}
        />
      </form>
    </search>
  )
}

/** Of everything that the shop has written. Its slugs are the language's, too. */
function LanguageChoice() {
  const { locales, language } = useLanguage()
  if (locales.length < 2) return null
  return (
    <select
      class="market language"
      aria-label="Language"
      value={language}
      onChange={({ currentTarget }) => chooseLanguage(currentTarget.value)}
    >
      {locales.map((locale) => (
        <option key={locale} value={locale} lang={locale} aria-label={nameOf(locale)}>
          {locale.toUpperCase()}
        </option>
      ))}
    </select>
  )
}

const nameOf = (locale: string) => new Intl.DisplayNames([locale], { type: 'language' }).of(locale)

function MarketChoice() {
  const markets = useBusiness().value?.markets
  const market = useMarket()
  if (!markets) return <span class="market" />
  if (markets.length < 2) return null
  return (
    <select
      class="market"
      aria-label="Where to send it"
      value={market?.id}
      onChange={({ currentTarget }) => chooseMarket(currentTarget.value)}
    >
      {markets.map(({ id, currency }) => (
        <option key={id} value={id}>
          {`${id.toUpperCase()} · ${currency}`}
        </option>
      ))}
    </select>
  )
}
