import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Head } from '../../ui/page.tsx'
import { Save } from '../save.tsx'
import { type BusinessForm, useBusinessForm } from '../use-business-form.ts'
import { OriginsField } from './origins-field.tsx'
import { type Address, type ShopForm, toBody, toForm, wrongWith } from './shop-form.ts'

const EXAMPLES: Record<Address, string> = {
  orderUrl: '/orders/{orderId}',
  productUrl: '/products/{slug}',
  previewUrl: '/journal/{entryId}?preview={token}',
}
const ADDRESSES = ['orderUrl', 'productUrl', 'previewUrl'] as const

/** Where the shop is, where it shows things, and who may read it. */
export function ShopPage() {
  const { t } = useLingui()
  const names = useNames()
  const show = (value: ShopForm[keyof ShopForm]) => {
    if (typeof value === 'boolean') return value ? t`yes` : t`no`
    return (Array.isArray(value) ? value.join(', ') : value) || t`none`
  }
  const settings = useBusinessForm<ShopForm>({
    part: 'shop',
    label: t`Save the addresses of the shop`,
    toForm,
    toBody,
    names,
    show,
  })
  const { form, change, refusals } = settings
  const isWrong = ADDRESSES.some((field) => wrongWith(form, field))
  return (
    <>
      <Head title={t`Shop addresses`} />
      <div className="page form-page">
        <section className="section">
          <div className="section-head">
            <h2>{t`Where your shop is`}</h2>
          </div>
          {form.allowedOrigins.length === 0 && (
            <Notice tone="wait" title={t`No shop is known yet.`}>
              {t`Add the address of your shop first; everything below begins with it.`}
            </Notice>
          )}
          <OriginsField
            origins={form.allowedOrigins}
            problem={Object.entries(refusals).find(([field]) => field.startsWith('allowedOrigins'))?.[1]}
            onChange={(allowedOrigins) => change({ allowedOrigins })}
          />
        </section>
        <section className="section">
          <div className="section-head">
            <h2>{t`Where it shows things`}</h2>
          </div>
          {ADDRESSES.map((field) => (
            <AddressField key={field} field={field} settings={settings} />
          ))}
        </section>
        <Reading settings={settings} />
      </div>
      <Save of={settings} reason={isWrong ? t`Fix the errors in the form.` : undefined} />
    </>
  )
}

type Settings = BusinessForm<ShopForm>

function AddressField({ field, settings }: { field: Address; settings: Settings }) {
  const { t } = useLingui()
  const names = useNames()
  const { form, change, isChanged, refusalOf } = settings
  const wrong = wrongWith(form, field)
  const example = `${form.allowedOrigins[0] ?? 'https://shop.example.com'}${EXAMPLES[field]}`
  const hints: Record<Address, string> = {
    orderUrl: t`Mails to customers link to their order there.`,
    productUrl: t`Products that a letter shows link there.`,
    previewUrl: t`“Preview in the shop” of an entry leads there, with a token that opens this one entry for an hour.`,
  }
  const words = () => {
    if (wrong?.kind === 'address') return t`This is no address such as ${example}.`
    if (wrong?.kind === 'place') return t`It must have ${wrong.place} in it, which is filled in.`
    if (wrong?.kind === 'origin') return t`${wrong.origin} is not among the addresses of your shop.`
    return refusalOf(field === 'orderUrl' ? field : `storefront.${field}`)
  }
  return (
    <div className="with-act">
      <Field
        label={names[field]}
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        value={form[field]}
        edited={isChanged(field)}
        problem={words()}
        hint={
          <>
            {hints[field]} {t`For example:`} <code>{example}</code>
          </>
        }
        onChange={({ target }) => change({ [field]: target.value })}
      />
      {wrong?.kind === 'origin' && (
        <Button
          look="small"
          onClick={() => change({ allowedOrigins: [...form.allowedOrigins, wrong.origin] })}
        >{t`Add ${wrong.origin}`}</Button>
      )}
      {form[field] === '' && form.allowedOrigins.length > 0 && (
        <Button look="quiet small" onClick={() => change({ [field]: example })}>{t`Begin with the example`}</Button>
      )}
    </div>
  )
}

/** Who may read the shop without a credential. */
function Reading({ settings: { form, change } }: { settings: Settings }) {
  const { t } = useLingui()
  const names = useNames()
  const id = useId()
  const about = {
    isPublic: t`Products, categories and published content can be read without a token, so that pages load fast from everywhere. Nothing of customers or orders.`,
    showQuantity: t`Otherwise shoppers only learn whether there is any left.`,
  }
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Who may read it`}</h2>
      </div>
      <div className="choices">
        {(['isPublic', 'showQuantity'] as const).map((field) => (
          <label key={field} className="choice">
            <input
              type="checkbox"
              className="check"
              checked={form[field]}
              aria-describedby={`${id}-${field}`}
              onChange={({ target }) => change({ [field]: target.checked })}
            />
            <span>
              {names[field]}
              <span className="note" id={`${id}-${field}`}>
                {about[field]}
              </span>
            </span>
          </label>
        ))}
      </div>
    </section>
  )
}

function useNames(): Record<keyof ShopForm, string> {
  const { t } = useLingui()
  return {
    allowedOrigins: t`Addresses of the shop`,
    orderUrl: t`Page of an order`,
    productUrl: t`Page of a product`,
    previewUrl: t`Preview of an entry`,
    isPublic: t`Anybody may read the shop`,
    showQuantity: t`Show how many there are`,
  }
}
