import type { Business } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { Field, Select } from '../../ui/field.tsx'
import { Head } from '../../ui/page.tsx'
import { Save } from '../save.tsx'
import { useBusinessForm } from '../use-business-form.ts'
import { type GeneralForm, problemsOf, TIME_ZONES, toBody, toForm } from './form.ts'
import { LanguagesField } from './languages-field.tsx'
import { LogoField } from './logo-field.tsx'
import { useLanguageNames } from './use-language-names.ts'

/** What a business is called, where it is reached, which languages and which clock it has. */
export function BusinessPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const navigate = useNavigate()
  const nameOfLanguage = useLanguageNames()
  const names: Record<keyof GeneralForm, string> = {
    name: t`Name`,
    slug: t`Address in the dashboard`,
    contactEmail: t`Contact address`,
    logo: t`Logo`,
    locales: t`Languages`,
    defaultLocale: t`First language`,
    timeZone: t`Time zone`,
  }
  const show = (value: GeneralForm[keyof GeneralForm], field: keyof GeneralForm) => {
    if (Array.isArray(value)) return value.map(nameOfLanguage).join(', ') || t`none`
    if (typeof value !== 'string') return value ? t`another picture` : t`none`
    return (field === 'defaultLocale' ? nameOfLanguage(value) : value) || t`none`
  }
  const settings = useBusinessForm<GeneralForm>({
    part: 'business',
    label: t`Save the settings of the business`,
    toForm,
    toBody,
    names,
    show,
    // Its address has changed with it.
    onSaved: (saved: Business) => {
      if (addressOf(saved) !== addressOf(business))
        void navigate({ to: '/$business/settings/business', params: { business: addressOf(saved) }, replace: true })
    },
  })
  const { form, change, isChanged, refusalOf } = settings
  const wrong = problemsOf(form)
  const words = {
    name: wrong.name && t`Enter a name.`,
    slug: wrong.slug && t`Small letters, digits and hyphens, such as harbour-goods.`,
    contactEmail: wrong.contactEmail && t`This is no email address.`,
  }
  const text = (field: 'name' | 'slug' | 'contactEmail') => ({
    label: names[field],
    value: form[field],
    edited: isChanged(field),
    problem: words[field] ?? refusalOf(field),
    autoComplete: 'off',
    onChange: ({ target }: { target: { value: string } }) => change({ [field]: target.value }),
  })
  const zones = TIME_ZONES.includes(form.timeZone) ? TIME_ZONES : [form.timeZone, ...TIME_ZONES]
  const sender = form.contactEmail.trim()
  return (
    <>
      <Head title={t`Business`} />
      <div className="page form-page">
        <section className="section">
          <div className="section-head">
            <h2>{t`Who you are`}</h2>
          </div>
          <Field
            {...text('name')}
            maxLength={200}
            hint={t`On receipts, packing slips, mails and the page where customers pay.`}
          />
          <LogoField
            item={form.logo ?? undefined}
            label={names.logo}
            problem={refusalOf('logo.mimeType') ?? refusalOf('logo')}
            onChange={(logo) => change({ logo })}
          />
          <Field
            {...text('contactEmail')}
            type="email"
            hint={
              sender
                ? t`Customers who answer a mail write to ${sender}; news of orders and low stock goes there, too.`
                : t`Without it nobody is told of new orders and low stock, and customers cannot answer mails.`
            }
          />
          <Field
            {...text('slug')}
            spellCheck={false}
            hint={
              <>
                {t`What stands in the address of this dashboard, and of a public shop in the API:`}{' '}
                <code>{`/admin/${form.slug || '…'}`}</code>
              </>
            }
          />
        </section>
        <section className="section">
          <div className="section-head">
            <h2>{t`Languages and clock`}</h2>
          </div>
          <LanguagesField
            locales={form.locales}
            first={form.defaultLocale}
            problem={Object.entries(settings.refusals).find(([field]) => /^(locales|defaultLocale)/.test(field))?.[1]}
            onChange={change}
          />
          <Select
            label={names.timeZone}
            value={form.timeZone}
            edited={isChanged('timeZone')}
            problem={refusalOf('timeZone')}
            hint={t`Where the days of the business begin: in lists, reports and on packing slips.`}
            onChange={({ target }) => change({ timeZone: target.value })}
          >
            {zones.map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </Select>
        </section>
      </div>
      <Save
        of={settings}
        reason={Object.keys(wrong).length > 0 ? t`Fix the errors in the form.` : undefined}
        warning={
          isChanged('slug') ? t`Bookmarks of this dashboard lead nowhere once the address is another.` : undefined
        }
      />
    </>
  )
}
