import { KontorError } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useId } from 'react'
import { DeleteDialog } from '../../outbox/delete-dialog.tsx'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Head } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { providerQuery } from '../queries.ts'
import { Save } from '../save.tsx'
import { Copied } from './copied.tsx'
import { DomainsField } from './domains-field.tsx'
import { issuerOf, type Place, type Provider, type ProviderForm } from './form.ts'
import { MappingFields } from './mapping-fields.tsx'
import { type ProviderSettings, useProvider } from './use-provider.ts'

const route = getRouteApi('/signed-in/$business/settings/sign-in')

const isNone = (error: unknown) => error instanceof KontorError && error.status === 404

/** The company's own sign-in: who comes in by it, and with which roles. */
export function SignInPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, refetch } = useQuery(providerQuery(business.id))
  const provider = isNone(error) ? undefined : data
  const showDelete = (isOpen: boolean) =>
    void navigate({ search: { do: isOpen ? 'delete' : undefined }, replace: !isOpen })
  return (
    <>
      <Head title={t`Staff sign-in`}>
        {provider && <Button look="destroy" icon={Trash2} onClick={() => showDelete(true)}>{t`Delete`}</Button>}
      </Head>
      {provider || isNone(error) ? (
        <Editor key={provider ? 'kept' : 'new'} provider={provider} />
      ) : (
        <div className="page form-page">
          {error ? (
            <Problem error={error} onRetry={() => void refetch()} />
          ) : (
            <Bones rows={6} columns={2} bleed={false} />
          )}
        </div>
      )}
      {provider && search.do === 'delete' && <DeleteProvider provider={provider} onClose={() => showDelete(false)} />}
    </>
  )
}

function Editor({ provider }: { provider: Provider | undefined }) {
  const { t } = useLingui()
  const id = useId()
  const names = useNames()
  const settings = useProvider(provider, names, useShow())
  const { form, base, isNew, change, isChanged, refusalOf, secret, setSecret, wrong } = settings
  const isOtherIssuer = !isNew && issuerOf(form.issuer) !== base.issuer
  const kept = provider?.clientSecret ?? ''
  return (
    <>
      <div className="page form-page">
        <section className="section">
          <State provider={provider} />
        </section>
        <Addresses provider={provider} claim={form.roleClaim} />
        <section className="section">
          <div className="section-head">
            <h2>{t`Your provider`}</h2>
          </div>
          <Field
            label={names.issuer}
            type="url"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            maxLength={500}
            placeholder="https://login.harbour.example"
            value={form.issuer}
            edited={isChanged('issuer')}
            problem={
              wrong.isNoAddress ? t`This is no address such as https://login.harbour.example.` : refusalOf('issuer')
            }
            hint={t`Its configuration is below this address. What it calls itself must be the same, letter by letter.`}
            onChange={({ target }) => change({ issuer: target.value })}
            onBlur={() => form.issuer !== issuerOf(form.issuer) && change({ issuer: issuerOf(form.issuer) })}
          />
          <div className="form-grid">
            <Field
              label={names.clientId}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={200}
              value={form.clientId}
              edited={isChanged('clientId')}
              problem={refusalOf('clientId')}
              onChange={({ target }) => change({ clientId: target.value })}
            />
            <Field
              label={names.clientSecret}
              type="password"
              autoComplete="new-password"
              spellCheck={false}
              maxLength={1_000}
              value={secret}
              edited={secret !== ''}
              placeholder={kept}
              problem={
                wrong.wantsSecret
                  ? t`Type it again: a secret is not handed on to another issuer or client.`
                  : refusalOf('clientSecret')
              }
              hint={isNew ? t`It is sealed, and never shown again.` : t`Leave it empty to keep the one that is there.`}
              onChange={({ target }) => setSecret(target.value)}
            />
          </div>
        </section>
        <section className="section">
          <div className="section-head">
            <h2>{names.domains}</h2>
          </div>
          <p className="note">
            <Trans>
              Only people whose email address is of one of these can sign in, once it is proven to be yours.
            </Trans>
          </p>
          <DomainsField
            domains={form.domains}
            known={provider?.domains ?? []}
            isBegunAnew={isOtherIssuer}
            problem={refusalOf('domains')}
            onChange={(domains) => change({ domains })}
          />
        </section>
        <section className="section">
          <div className="section-head">
            <h2>{names.roles}</h2>
          </div>
          <p className="note">
            <Trans>
              At each sign-in the provider says in which groups somebody is, and they get the roles of these. Roles that
              you gave by hand stay.
            </Trans>
          </p>
          <MappingFields settings={settings} label={names.roleClaim} />
        </section>
        <section className="section">
          <div className="section-head">
            <h2>{t`Second factor`}</h2>
          </div>
          <label className="choice">
            <input
              type="checkbox"
              className="check"
              checked={form.trustsSecondFactor}
              aria-describedby={`${id}-factor`}
              onChange={({ target }) => change({ trustsSecondFactor: target.checked })}
            />
            <span>
              {names.trustsSecondFactor}
              <span className="note" id={`${id}-factor`}>
                {t`Then nobody is asked twice. The first time, and for a passkey, Kontor still asks itself.`}
              </span>
            </span>
          </label>
        </section>
      </div>
      <Save
        of={settings}
        reason={useReason(settings, names)}
        warning={
          isOtherIssuer ? t`With another issuer each domain is to be proven anew, by another record.` : undefined
        }
      />
    </>
  )
}

/** Whether anybody can come in by it, and what is missing. */
function State({ provider }: { provider: Provider | undefined }) {
  const { t } = useLingui()
  const business = useBusiness()
  if (!provider)
    return (
      <p className="soft">
        <Trans>
          Your staff can sign in where they always do: with Keycloak, Okta, Authentik or any other OpenID provider of
          your company. They get their roles from it, and whoever leaves the company is out here within a day. API keys
          that they made work on until you take their roles.
        </Trans>
      </p>
    )
  const isProven = provider.domains.some(({ status }) => status === 'PROVEN')
  const isMapped = provider.roles.length > 0
  return (
    <>
      <p>
        {isProven && isMapped ? (
          <Status tone="good">{t`Your staff can sign in with it.`}</Status>
        ) : (
          <Status fill="ring" tone="wait">
            {isProven
              ? t`Nobody new can sign in with it yet: say which group has which role.`
              : t`Nobody can sign in with it yet: prove a domain.`}
          </Status>
        )}
      </p>
      <Copied label={t`Address for your staff`} text={`${location.origin}/admin/login?business=${business.id}`} />
    </>
  )
}

/** What the provider has to know. Before anything is saved, too: it gives out an id and a secret only for these. */
function Addresses({ provider, claim }: { provider: Provider | undefined; claim: string }) {
  const { t } = useLingui()
  const { id } = useBusiness()
  const login = `${location.origin}/v1/users/login`
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`At your provider`}</h2>
      </div>
      <p className="note">
        <Trans>
          Make a client there, confidential and with the code flow, and give it these addresses. It has to send email,
          email_verified and {claim}.
        </Trans>
      </p>
      <Copied label={t`Redirect address`} text={provider?.callbackUrl ?? `${login}/callback/${id}`} />
      <Copied label={t`Back-channel logout`} text={provider?.backchannelLogoutUrl ?? `${login}/logout/${id}`} />
    </section>
  )
}

function DeleteProvider({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  const { t } = useLingui()
  const ask = useAsk()
  const name = URL.parse(provider.issuer)?.host ?? provider.issuer
  const remove = () =>
    ask({ operation: 'removeSignInProvider', input: {}, label: t`Delete the staff sign-in`, about: [name] })
  return (
    <DeleteDialog {...{ name, remove, onClose }} onDeleted={onClose}>
      {t`Everyone who signed in with this provider is signed out. Members keep the roles it gave them until you remove them. To set it up again, you’ll need to verify each domain again.`}
    </DeleteDialog>
  )
}

function useReason({ wrong, isNew }: ProviderSettings, names: Record<Place, string>): string | undefined {
  const { t } = useLingui()
  const missing = wrong.missing.map((place) => names[place]).join(', ')
  if (missing !== '') return t`Still missing: ${missing}.`
  if (wrong.wantsSecret && !isNew) return t`Type the client secret again.`
  return wrong.isNoAddress || wrong.repeated.length > 0 ? t`Fix the errors in the form.` : undefined
}

function useShow() {
  const { t } = useLingui()
  return (form: ProviderForm, field: keyof ProviderForm): string => {
    const value = form[field]
    if (typeof value === 'boolean') return value ? t`yes` : t`no`
    if (typeof value === 'string') return value
    const words = value.map((one) => (typeof one === 'string' ? one : one.value))
    return words.join(', ') || t`none`
  }
}

function useNames(): Record<Place, string> {
  const { t } = useLingui()
  return {
    issuer: t`Issuer`,
    clientId: t`Client ID`,
    clientSecret: t`Client secret`,
    domains: t`Domains`,
    roleClaim: t`Claim`,
    roles: t`Roles by group`,
    trustsSecondFactor: t`A second factor at the provider counts here`,
  }
}
