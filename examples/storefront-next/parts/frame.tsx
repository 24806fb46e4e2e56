import type { ReactNode } from 'react'
import { readCategories } from '../lib/catalog.ts'
import type { Page, Paths } from '../lib/page.ts'
import { CartLink } from './cart-link.tsx'

/** What is around every page. In each page, not in the layout: only a page knows its address in other languages. */
export async function Frame({ page, paths, children }: { page: Page; paths: Paths; children: ReactNode }) {
  const { locale, shop, market, words } = page
  const shelves = (await readCategories(locale)).filter(({ parentId }) => parentId === null)
  return (
    <>
      <a className="skip" href="#main">
        {words.toContent}
      </a>
      <header className="header">
        <div className="wrap header-row">
          <a className="brand" href={`/${locale}`}>
            {shop.name}
          </a>
          <form className="search" action={`/${locale}/search`} role="search">
            <input name="query" type="search" placeholder={words.search} aria-label={words.search} maxLength={100} />
          </form>
          <CartLink href={`/${locale}/cart`} label={words.cart} />
        </div>
        <nav className="wrap shelves" aria-label={words.menu}>
          {shelves.map(({ id, name, slug }) => (
            <a key={id} href={`/${locale}/c/${slug}`}>
              {name}
            </a>
          ))}
          <a href={`/${locale}/journal`}>{words.journal}</a>
        </nav>
      </header>
      <main id="main">{children}</main>
      <footer className="footer">
        <div className="wrap footer-row">
          <p>
            {shop.name} · {market.name}, {market.currency}
          </p>
          <nav className="languages" aria-label="Language, Sprache">
            {shop.locales.map((other) => (
              <a
                key={other}
                href={paths[other] ?? `/${other}`}
                hrefLang={other}
                lang={other}
                aria-current={other === locale ? 'page' : undefined}
              >
                {new Intl.DisplayNames(other, { type: 'language' }).of(other)}
              </a>
            ))}
          </nav>
        </div>
      </footer>
    </>
  )
}
