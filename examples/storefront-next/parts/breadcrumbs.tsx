import type { Category } from '@kontor/sdk'
import { shopUrl } from '../lib/settings.ts'
import { JsonLd } from './json-ld.tsx'

export type Crumb = { name: string; path: string }

/** From the top down to this one. */
export function pathTo(categories: readonly Category[], id: string | null | undefined): Category[] {
  const category = categories.find((each) => each.id === id)
  return category ? [...pathTo(categories, category.parentId), category] : []
}

export const Breadcrumbs = ({ crumbs }: { crumbs: readonly Crumb[] }) => (
  <nav className="crumbs" aria-label="Breadcrumb">
    <ol>
      {crumbs.map(({ name, path }, index) => (
        <li key={path}>
          {index < crumbs.length - 1 ? <a href={path}>{name}</a> : <span aria-current="page">{name}</span>}
        </li>
      ))}
    </ol>
    <JsonLd
      data={{
        '@type': 'BreadcrumbList',
        itemListElement: crumbs.map(({ name, path }, index) => ({
          '@type': 'ListItem',
          position: index + 1,
          name,
          item: shopUrl + path,
        })),
      }}
    />
  </nav>
)
