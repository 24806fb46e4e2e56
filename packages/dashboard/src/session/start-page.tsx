import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { kontor, queryClient } from '../api/client.ts'
import { query } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { usePageTitle } from '../ui/page.tsx'
import { useProblem } from '../ui/problem.tsx'
import { Door } from './door.tsx'
import { OtherBusinesses } from './other-businesses.tsx'
import { businessesQuery, meQuery } from './queries.ts'
import { signOut } from './session.ts'
import { addressOf } from './use-business.ts'

/** Which business: those one works in, invitations, the code of one. */
export function StartPage() {
  const { t } = useLingui()
  usePageTitle(t`Businesses`)
  const { data } = useSuspenseQuery(businessesQuery())
  const { data: me } = useSuspenseQuery(meQuery())
  return (
    <Door>
      <div className="form">
        <div>
          <h1>{t`Businesses`}</h1>
          <p className="lead">
            {data.items.length > 0 ? (
              <Trans>Where do you want to work?</Trans>
            ) : (
              <Trans>You work in none yet. Accept an invitation, or type its code.</Trans>
            )}
          </p>
        </div>
        <ul className="tasks">
          {data.items.map((business) => (
            <li key={business.id}>
              <span className="dot full act" />
              <span className="what">{business.name}</span>
              <Link className="button small" to="/$business" params={{ business: addressOf(business) }}>{t`Open`}</Link>
            </li>
          ))}
          {!me.needsConfirmation && <Invitations />}
        </ul>
        <OtherBusinesses />
        <CodeForm />
        <p className="note">
          {me.isOperator && (
            <>
              <Link className="link" to="/operator">{t`Operator`}</Link>
              {' · '}
            </>
          )}
          <Link className="link" to="/profile">{t`Your profile`}</Link>
          {' · '}
          <button type="button" className="link" onClick={() => void signOut()}>{t`Sign out`}</button>
        </p>
      </div>
    </Door>
  )
}

const refresh = () => queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === '-' })

function Invitations() {
  const { t } = useLingui()
  const { data } = useQuery(query('-', 'listMyInvitations'))
  const accept = useMutation({
    mutationFn: (id: string) => kontor.operations.acceptInvitation({ body: { id } }),
    onSuccess: refresh,
  })
  return data?.items.map(({ id, business, role }) => (
    <li key={id}>
      <span className="dot act" />
      <div>
        <span className="what">{business.name}</span>
        <p className="note">
          <Trans>You are invited as {role.name}.</Trans>
        </p>
      </div>
      <Button look="small" onClick={() => accept.mutate(id)}>{t`Accept`}</Button>
    </li>
  ))
}

function CodeForm() {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const [problem, setProblem] = useState<string>()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const token = formText(form, 'code').trim()
    try {
      await kontor.operations.acceptInvitation({ body: { token } })
      setProblem(undefined)
      form.reset()
      await refresh()
    } catch (error) {
      setProblem(wordsOf(error).what)
    }
  }
  return (
    <form className="others" onSubmit={(event) => void submit(event)}>
      <Field label={t`Invitation code`} name="code" required autoComplete="off" problem={problem} />
      <Button type="submit">{t`Accept`}</Button>
    </form>
  )
}
