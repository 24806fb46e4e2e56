import { Plural, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Icon } from '../../ui/icon.tsx'
import { type Finding, isError, MOST_BYTES } from './check.ts'

/** What was looked at before it is sent. Undefined: it cannot be looked at yet. */
export function Findings({ of: findings }: { of: readonly Finding[] | undefined }) {
  const { t } = useLingui()
  if (!findings) return null
  const errors = findings.filter(isError)
  return (
    <section className="section findings" aria-label={t`Check before sending`}>
      <div className="section-head">
        <h2>{t`Check before sending`}</h2>
        <span className="note" role="status">
          {errors.length > 0 ? (
            <Plural
              value={errors.length}
              one="# thing keeps it from being sent"
              other="# things keep it from being sent"
            />
          ) : findings.length > 0 ? (
            <Plural value={findings.length} one="# thing to look at" other="# things to look at" />
          ) : (
            t`links, pictures, length, subject and the way to leave`
          )}
        </span>
      </div>
      {findings.length === 0 ? (
        <p className="fine">
          <Icon of={CircleCheck} />
          {t`Nothing is wrong with it.`}
        </p>
      ) : (
        <FindingList of={findings} />
      )}
    </section>
  )
}

export function FindingList({ of: findings }: { of: readonly Finding[] }) {
  const { t } = useLingui()
  const wordsOf = useFindingWords()
  const business = addressOf(useBusiness())
  return (
    <ul>
      {findings.map((finding) => {
        const { what, about } = wordsOf(finding)
        return (
          <li key={`${what}${about}`} className={isError(finding) ? 'error' : 'warning'}>
            <Icon of={isError(finding) ? CircleAlert : TriangleAlert} />
            <p>
              <b className="strong">{what}</b> <span className="soft">{about}</span>{' '}
              {finding.kind === 'no-product-page' && (
                <Link to="/$business/settings/shop" params={{ business }} className="link">
                  {t`Say where products have their pages`}
                </Link>
              )}
            </p>
          </li>
        )
      })}
    </ul>
  )
}

const KB = 1_000

function useFindingWords() {
  const { t } = useLingui()
  const { number } = useFormat()
  return (finding: Finding): { what: string; about: string } => {
    switch (finding.kind) {
      case 'template':
        return {
          what: finding.block ? t`The template of “${finding.block}” is wrong.` : t`The template is wrong.`,
          about: finding.message,
        }
      case 'required':
        return { what: t`“${finding.block}” is empty.`, about: t`The newsletter requires it.` }
      case 'subject':
        return { what: t`The subject is empty.`, about: t`Mail programs take such letters for rubbish.` }
      case 'no-subject':
        return { what: t`It has no subject of its own.`, about: t`The name of the newsletter stands there instead.` }
      case 'unsubscribe':
        return { what: t`There is no link to unsubscribe.`, about: t`Every letter must have one.` }
      case 'link':
        return {
          what: finding.text ? t`The link “${finding.text}” leads nowhere.` : t`A link leads nowhere.`,
          about: finding.href ? t`Its address is ${finding.href}` : t`It has no address.`,
        }
      case 'http':
        return {
          what: finding.text ? t`The link “${finding.text}” is not encrypted.` : t`A link is not encrypted.`,
          about: t`Its address begins with http, not https: ${finding.href}`,
        }
      case 'alt':
        return { what: t`A picture has no words.`, about: t`Who does not see it reads nothing: ${nameOf(finding.src)}` }
      case 'bare-name':
        return {
          what: t`Readers without a name find a gap where theirs would be.`,
          about: t`Take the name out, and put “Name of the reader” in again: it brings a word for them.`,
        }
      case 'no-product-page':
        return {
          what: t`The product that it shows has no link.`,
          about: t`It is not known yet where your shop shows products.`,
        }
      default: {
        const [size, most] = [number(Math.ceil(finding.bytes / KB)), number(MOST_BYTES / KB)]
        return { what: t`It is ${size} kB long.`, about: t`Mail programs cut letters after about ${most} kB.` }
      }
    }
  }
}

const nameOf = (src: string) => URL.parse(src)?.pathname.split('/').at(-1) || src
