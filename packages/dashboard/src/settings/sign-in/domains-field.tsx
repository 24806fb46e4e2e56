import { Trans, useLingui } from '@lingui/react/macro'
import { Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { useProblem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { Copied } from './copied.tsx'
import { domainOf, type Provider } from './form.ts'

const MOST = 20

type Domain = Provider['domains'][number]
type Props = {
  domains: string[]
  /** Those that the service knows. */
  known: readonly Domain[]
  /** What it says of them is about to change. */
  isBegunAnew: boolean
  problem: string | undefined
  onChange: (domains: string[]) => void
}

/** Whose addresses may come in, and how each is proven to be the business's. */
export function DomainsField({ domains, known, isBegunAnew, problem, onChange }: Props) {
  const { t } = useLingui()
  const [typed, setTyped] = useState('')
  const domain = domainOf(typed)
  const reason =
    typed.trim() === ''
      ? t`Type a domain first.`
      : !domain
        ? t`This is no domain such as harbour.example.`
        : domains.includes(domain)
          ? t`Already added`
          : domains.length >= MOST
            ? t`The maximum is ${MOST}.`
            : undefined
  const add = (event: FormEvent) => {
    event.preventDefault()
    if (!domain || reason) return
    onChange([...domains, domain])
    setTyped('')
  }
  return (
    <fieldset className="field">
      <legend className="unseen">{t`Domains`}</legend>
      {domains.length > 0 && (
        <ul className="domains">
          {domains.map((one) => (
            <Line
              key={one}
              domain={one}
              known={isBegunAnew ? undefined : known.find((row) => row.domain === one)}
              onRemove={() => onChange(domains.filter((other) => other !== one))}
            />
          ))}
        </ul>
      )}
      <form className="adder" onSubmit={add}>
        <input
          className="input"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-label={t`Another domain`}
          placeholder="harbour.example"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" icon={Plus} reason={reason}>{t`Add`}</Button>
      </form>
      {problem && <p className="problem">{problem}</p>}
    </fieldset>
  )
}

function Line({ domain, known, onRemove }: { domain: string; known: Domain | undefined; onRemove: () => void }) {
  const { t } = useLingui()
  return (
    <li>
      <div className="domain">
        <b className="grow strong">{domain}</b>
        {!known ? (
          <Status fill="off">{t`Not saved yet`}</Status>
        ) : known.provenAt === null ? (
          <Status fill="ring" tone="wait">{t`Not proven yet`}</Status>
        ) : known.lapsesAt !== null ? (
          <Status fill="ring" tone="wait">
            <span>
              {known.lastResult === 'UNREACHABLE' ? (
                <Trans>
                  Name servers aren’t responding, expires <When at={known.lapsesAt} />
                </Trans>
              ) : (
                <Trans>
                  TXT record missing, expires <When at={known.lapsesAt} />
                </Trans>
              )}
            </span>
          </Status>
        ) : (
          <Status tone="good">
            <span>
              {t`Proven`} <When at={known.provenAt} />
            </span>
          </Status>
        )}
        <Button look="quiet small" icon={X} only={t`Remove ${domain}`} onClick={onRemove} />
      </div>
      {!known && <p className="note">{t`Once it is saved, its record is here.`}</p>}
      {known && (known.status === 'PENDING' || known.lapsesAt !== null) && <Proof of={known} />}
    </li>
  )
}

/** The record to put there, and a look whether it is. */
function Proof({ of: { domain, record } }: { of: Domain }) {
  const { t } = useLingui()
  const ask = useAsk()
  const format = useFormat()
  const wordsOf = useProblem()
  const [isAsked, setAsked] = useState(false)
  const [found, setFound] = useState<string>()
  const look = async () => {
    setAsked(true)
    try {
      const { status, lapsesAt } = await ask({
        operation: 'checkSignInDomain',
        input: { body: { domain } },
        label: t`Look for the record of ${domain}`,
        about: [domain],
      })
      const time = format.time(Date.now() / 1_000)
      if (status === 'PROVEN' && lapsesAt === null) toast(t`${domain} verified`)
      else
        setFound(
          t`At ${time} the record was not there, or had another value. Compare both with what your name servers show; they may take an hour to tell of a new one.`,
        )
    } catch (error) {
      setFound(wordsOf(error).what)
    } finally {
      setAsked(false)
    }
  }
  return (
    <div className="proof">
      <p className="note">
        {t`Add this text record (TXT) where the name servers of ${domain} are kept. It shows that the domain is yours.`}
      </p>
      <Copied label={t`Name`} text={record.name} />
      <Copied label={t`Value`} text={record.value} />
      <div>
        <Button look="small" reason={isAsked ? t`Processing…` : undefined} onClick={() => void look()}>
          {t`Check now`}
          <span className="unseen">: {domain}</span>
        </Button>
      </div>
      <p className="note wait-text" role="status">
        {found}
      </p>
    </div>
  )
}
