import { hrefOf, pathTo, type Shelf } from '../state/catalog.ts'
import { useLanguage } from '../state/kontor.ts'

/** The way from the shop to a shelf. On the page of the shelf itself, its own name is the heading. */
export function Breadcrumbs({ shelf, isLast }: { shelf: Shelf | undefined; isLast: boolean }) {
  const { language } = useLanguage()
  const path = isLast ? pathTo(shelf) : pathTo(shelf?.parent)
  return (
    <nav class="crumbs" aria-label="You are here">
      <ol>
        {(shelf || isLast) && (
          <li>
            <a href="/shop">Shop</a>
          </li>
        )}
        {path.map((each) => (
          <li key={each.id}>
            <a href={hrefOf(each)} lang={language}>
              {each.name}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}
