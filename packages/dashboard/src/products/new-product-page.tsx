import type { Product } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useAsk, useOutbox } from '../outbox/use-outbox.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Icon } from '../ui/icon.tsx'
import { Notice } from '../ui/notice.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { Problem, useProblem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { useIsShown } from '../ui/use-is-shown.ts'
import { type Edits, valueOf } from './product/edits.ts'
import { ProductForm } from './product/product-form.tsx'
import { toNewProduct } from './product/to-body.ts'
import { useEdits } from './product/use-edits.ts'

/** Nothing yet, and one variant to begin with. */
const emptyProduct = (businessId: string): Product => ({
  id: '',
  businessId,
  name: '',
  slug: '',
  description: '',
  category: '',
  taxClass: 'standard',
  tags: [],
  seo: { title: '', description: '' },
  translations: {},
  options: [],
  gallery: [],
  variants: [
    {
      id: 'var_first',
      name: '',
      sku: '',
      attributes: [],
      translations: {},
      pricing: { markets: [] },
      inventory: { tracked: true, quantity: 0 },
      gallery: [],
    },
  ],
  statuses: [],
  blocks: [],
  createdAt: 0,
  updatedAt: 0,
})

/** The same page as that of a product; all of it is created by one request. */
export function NewProductPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { id: businessId, markets, defaultLocale } = business
  const address = addressOf(business)
  const navigate = useNavigate()
  const ask = useAsk()
  const wordsOf = useProblem()
  const isShown = useIsShown()
  const [product] = useState(() => emptyProduct(businessId))
  const [locale, setLocale] = useState(defaultLocale)
  const about = `new-product:${businessId}`
  const kept = useEdits(product, about)
  const [sent, setSent] = useState<Edits>()
  const edited = sent ? { ...kept, edits: sent } : kept
  const [error, setError] = useState<unknown>()
  const waiting = useOutbox().find((entry) => entry.about.includes(about))
  const name = (valueOf(product, edited.edits, 'name') as string).trim()
  usePageTitle(t`New product`)
  const create = async () => {
    const typed = kept.now()
    setSent(typed)
    setError(undefined)
    // From here on it is in the outbox: a reload must not find it a second time.
    kept.discard()
    try {
      const made = await ask({
        operation: 'createProduct',
        input: { body: toNewProduct(product, typed, markets) },
        label: t`Add ${name}`,
        about: [about],
      })
      toast(t`${name} created`)
      if (isShown.current)
        void navigate({ to: '/$business/products/$product', params: { business: address, product: made.id } })
    } catch (cause) {
      kept.set(typed)
      setSent(undefined)
      setError(cause)
      if (!isShown.current) toast(t`Couldn’t create ${name}. Your changes are still here. ${wordsOf(cause).what}`)
    }
  }
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <Link to="/$business/products" params={{ business: address }}>{t`Products`}</Link>
          <Icon of={ChevronRight} />
        </nav>
        <h1>{name || t`New product`}</h1>
        <p className="facts-line soft hide-phone">
          {Object.keys(edited.edits).length > 0 && t`Kept in this tab until you save it`}
        </p>
      </header>
      <ProductForm
        product={product}
        edited={edited}
        locale={locale}
        onLocale={setLocale}
        onSave={() => void create()}
        isSaving={waiting !== undefined}
        reason={name ? undefined : t`Enter a name.`}
        isNew
        isAsked={sent !== undefined}
      >
        {error !== undefined && (
          <div className="section">
            <Problem error={error} kept={t`Couldn’t create the product. Your changes are still here.`} />
          </div>
        )}
        {waiting && (
          <div className="section">
            <Notice title={waiting.label}>
              <Trans>Processing… Retries automatically. It won’t run twice.</Trans>
            </Notice>
          </div>
        )}
      </ProductForm>
    </>
  )
}
