import type { Answer } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { Fragment } from 'react'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Field, TextField } from '../../ui/field.tsx'
import { LeaveDialog } from '../../ui/leave-dialog.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { useLeaveGuard } from '../../ui/use-draft.ts'
import type { Tree } from '../tree.ts'
import { useLocaleName } from '../words.ts'
import { CategoryPicture } from './category-picture.tsx'
import { Facts } from './facts.tsx'
import { fieldOf, imageOf, missingIn, TEXTS, type Text, toImage } from './texts.ts'
import { useCategory, useTextNames } from './use-category.ts'

const route = getRouteApi('/signed-in/$business/categories/$category')
const LONG: Partial<Record<Text, number>> = { description: 5_000, 'seo.description': 500 }
const SHORT: Partial<Record<Text, number>> = { name: 200, slug: 100, 'seo.title': 200 }

type Props = { category: Answer<'getCategory'>; products: number; tree: Tree }

/** Its own texts on the left, those of another language on the right, with what is missing there. */
export function TextsForm({ category, products, tree }: Props) {
  const { t } = useLingui()
  const { locales, defaultLocale } = useBusiness()
  const { reason } = usePermissions()
  const localeName = useLocaleName()
  const names = useTextNames()
  const others = [...new Set([...locales, ...Object.keys(category.translations)])].filter(
    (one) => one !== defaultLocale,
  )
  const form = useCategory(category, others)
  const { value, changed, changes, isSaving, change, save, discard, sheet, problemOf } = form
  const guard = useLeaveGuard(changes.length > 0)
  const { locale: wanted } = route.useSearch()
  const locale = others.find((one) => one === wanted) ?? others[0]
  const lacks = reason('PRODUCTS_WRITE')
  const isNameless = (value.name ?? '').trim() === '' || value.slug === ''
  const input = (text: Text, of: string | undefined) => {
    const field = fieldOf(text, of)
    const isHeld = of === undefined && text === 'slug' && products > 0
    const common = {
      label: of === undefined ? names[text] : t`${names[text]} in ${localeName(of)}`,
      edited: changed.includes(field),
      problem: problemOf(field),
      value: value[field] ?? '',
      lang: of ?? defaultLocale,
      readOnly: lacks !== undefined || isHeld,
      placeholder: of === undefined ? undefined : value[text] || undefined,
    }
    const hint = isHeld
      ? t`Products name it, so it stays as it is. Addresses in other languages can be changed.`
      : undefined
    return LONG[text] ? (
      <TextField {...common} maxLength={LONG[text]} onChange={(event) => change(field, event.target.value)} />
    ) : (
      <Field
        {...common}
        {...{ hint }}
        maxLength={SHORT[text]}
        onChange={(event) => change(field, event.target.value)}
      />
    )
  }
  return (
    <>
      <div className="record">
        <div className="work">
          {others.length > 1 && (
            <nav className="segment" aria-label={t`Languages`}>
              {others.map((one) => {
                const missing = missingIn(value, one).length
                return (
                  <route.Link
                    key={one}
                    to="."
                    search={(now) => ({ ...now, locale: one })}
                    replace
                    aria-current={one === locale ? 'true' : undefined}
                  >
                    {localeName(one)}
                    {missing > 0 && <span className="badge wait">{t`${missing} missing`}</span>}
                  </route.Link>
                )
              })}
            </nav>
          )}
          <div className={locale === undefined ? 'stacked' : 'side-by-side'}>
            <h2 className="column-head">{localeName(defaultLocale)}</h2>
            {locale !== undefined && (
              <LocaleHead missing={missingIn(value, locale).map((text) => names[text])} name={localeName(locale)} />
            )}
            {TEXTS.map((text) => (
              <Fragment key={text}>
                {input(text, undefined)}
                {locale !== undefined && input(text, locale)}
              </Fragment>
            ))}
          </div>
        </div>
        <Facts
          {...{ tree, category }}
          picture={
            <CategoryPicture item={imageOf(value)} reason={lacks} onChange={(item) => change('image', toImage(item))} />
          }
        />
      </div>
      <SaveBar
        changes={changes}
        isSaving={isSaving}
        reason={lacks ?? (isNameless ? t`Enter a name and a slug.` : undefined)}
        onSave={() => void save()}
        onDiscard={discard}
      />
      <LeaveDialog guard={guard} />
      {sheet}
    </>
  )
}

function LocaleHead({ name, missing }: { name: string; missing: readonly string[] }) {
  const { t } = useLingui()
  return (
    <h2 className="column-head">
      {name}
      {missing.length > 0 ? (
        <span className="note wait-text">{t`missing: ${missing.join(', ')}`}</span>
      ) : (
        <span className="note good-text">{t`complete`}</span>
      )}
    </h2>
  )
}
