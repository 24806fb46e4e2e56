import type { Product } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Archive, ChevronRight, Ellipsis, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useAsk, useAsked } from '../outbox/use-outbox.ts'
import { usePermissions } from '../session/permissions.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Head, usePageTitle } from '../ui/page.tsx'
import { Problem, useProblem } from '../ui/problem.tsx'
import { Status } from '../ui/status.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { toast } from '../ui/toast.tsx'
import { statusOf } from './listed.ts'
import { History } from './product/history.tsx'
import { ProductForm } from './product/product-form.tsx'
import { useEdits } from './product/use-edits.ts'
import { useSave } from './product/use-save.tsx'
import { productQuery, useShelves } from './queries.ts'
import { ProductStatusWord } from './words.tsx'

const route = getRouteApi('/signed-in/$business/products/$product')

export function ProductPage() {
  const { t } = useLingui()
  const { product: id } = route.useParams()
  const business = useBusiness()
  const { data: product, error, refetch } = useQuery(productQuery(business.id, id))
  if (product) return <Loaded key={id} product={product} />
  return (
    <>
      <Head title={t`Product`} />
      <div className="page">{error ? <Problem error={error} onRetry={() => void refetch()} /> : <Bones />}</div>
    </>
  )
}

function Loaded({ product }: { product: Product }) {
  const { t } = useLingui()
  const { tab, locale } = route.useSearch()
  const navigate = route.useNavigate()
  const { defaultLocale } = useBusiness()
  const edited = useEdits(product, `product:${product.id}`)
  const { save, isSaving, sheet } = useSave(product, edited)
  usePageTitle(product.name)
  return (
    <>
      <ProductHead product={product} />
      <Tabs label={t`Parts`}>
        <Link {...AT} search={{}} activeOptions={{ exact: true }} aria-current={tab ? undefined : 'page'}>
          {t`Product`}
        </Link>
        <Link {...AT} search={{ tab: 'history' }} aria-current={tab === 'history' ? 'page' : undefined}>
          {t`History`}
        </Link>
      </Tabs>
      {tab === 'history' ? (
        <div className="record">
          <div className="work">
            <History product={product} />
          </div>
        </div>
      ) : (
        <ProductForm
          product={product}
          edited={edited}
          locale={locale ?? defaultLocale}
          onLocale={(next) =>
            void navigate({
              search: { locale: next === defaultLocale ? undefined : next },
              replace: true,
              resetScroll: false,
            })
          }
          onSave={() => void save()}
          isSaving={isSaving}
        />
      )}
      {sheet}
    </>
  )
}

const AT = { from: '/$business/products/$product', to: '.' } as const

function ProductHead({ product }: { product: Product }) {
  const { t } = useLingui()
  const business = useBusiness()
  const params = { business: addressOf(business) }
  const shelf = useShelves().find(({ slug }) => slug === product.category)
  const asked = useAsked(product.id).length > 0
  const sold = new Set(product.variants.flatMap(({ pricing }) => pricing.markets.map(({ marketId }) => marketId)))
  const markets = sold.size
  return (
    <header className="head">
      <nav className="crumbs" aria-label={t`Where`}>
        <Link to="/$business/products" params={params}>{t`Products`}</Link>
        <Icon of={ChevronRight} />
        {shelf && (
          <Link to="/$business/products" params={params} search={{ categoryId: shelf.id }}>
            {shelf.name}
          </Link>
        )}
      </nav>
      <h1>{product.name}</h1>
      <p className="facts-line">
        <ProductStatusWord status={statusOf(product)} />
        <span className="soft">
          <Plural value={product.variants.length} one="# variant" other="# variants" />,{' '}
          <Plural value={markets} one="# market" other="# markets" />
        </span>
        {asked && <Status fill="unknown" tone="wait">{t`Processing…`}</Status>}
      </p>
      <div className="acts tight">
        <Acts product={product} />
      </div>
    </header>
  )
}

function Acts({ product }: { product: Product }) {
  const { t } = useLingui()
  const { reason } = usePermissions()
  const navigate = route.useNavigate()
  const business = addressOf(useBusiness())
  const ask = useAsk()
  const wordsOf = useProblem()
  const [isAsking, setAsking] = useState(false)
  const why = reason('PRODUCTS_WRITE')
  const { id, name } = product
  const isArchived = statusOf(product) === 'ARCHIVED'
  const archive = () => {
    const body = { statuses: [{ status: 'ARCHIVED' as const }] }
    ask({ operation: 'updateProduct', input: { path: { id }, body }, label: t`Archive ${name}`, about: [id] }).then(
      () => toast(t`${name} archived`),
      (error: unknown) => toast(t`Couldn’t archive. ${wordsOf(error).what}`),
    )
  }
  const remove = async () => {
    setAsking(false)
    try {
      await ask({ operation: 'deleteProduct', input: { path: { id } }, label: t`Delete ${name}`, about: [id] })
      toast(t`${name} deleted`)
      void navigate({ to: '/$business/products', params: { business } })
    } catch (error) {
      toast(t`Couldn’t delete the product. ${wordsOf(error).what}`)
    }
  }
  return (
    <>
      <Menu align="end" trigger={<Button icon={Ellipsis} only={t`More`} />}>
        <MenuItem icon={Archive} reason={why ?? (isArchived ? t`It is archived.` : undefined)} onClick={archive}>
          {t`Archive`}
        </MenuItem>
        <MenuItem icon={Trash2} reason={why} onClick={() => setAsking(true)}>
          {t`Delete…`}
        </MenuItem>
      </Menu>
      <Dialog open={isAsking} onClose={() => setAsking(false)} title={t`Delete ${name}?`}>
        <p className="soft">
          <Trans>
            It is not found any more, by nobody. Orders keep what they have. Archiving only takes it off sale.
          </Trans>
        </p>
        <div className="acts">
          <Button look="quiet" onClick={() => setAsking(false)}>{t`Keep it`}</Button>
          <Button look="destroy main" onClick={() => void remove()}>{t`Delete`}</Button>
        </div>
      </Dialog>
    </>
  )
}
