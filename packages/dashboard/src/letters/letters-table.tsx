import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { usePermissions } from '../session/permissions.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { When } from '../ui/time.tsx'
import { useSendsOf } from './queries.ts'
import { type Letter, mainOf, type Send } from './types.ts'
import { LetterState, SendState, useMoment, useTitleOf } from './words.tsx'

type Props = {
  /** As they were read. */
  pages: readonly (readonly Letter[])[]
  /** Which of all is looked at. */
  at: Letter | undefined
}

/** Newest first, each with what became of it. */
export function LettersTable({ pages, at }: Props) {
  const { t } = useLingui()
  const { may } = usePermissions()
  const knows = may('NEWSLETTER_SEND')
  return (
    <table className="table bleed stack list" aria-label={t`Letters`}>
      <thead>
        <tr>
          <th>{t`Letter`}</th>
          <th>{t`Status`}</th>
          {knows && (
            <>
              <th>{t`When`}</th>
              <th className="num">{t`Readers`}</th>
              <th className="num">{t`Sent`}</th>
              <th className="num max-desk:hidden">{t`Failed`}</th>
              <th className="num max-desk:hidden">{t`Uncertain`}</th>
            </>
          )}
          <th className="num">{t`Changed`}</th>
        </tr>
      </thead>
      <tbody>
        {pages.map((letters) => (
          <Rows key={letters[0]?.id} of={letters} knows={knows} at={at} />
        ))}
      </tbody>
    </table>
  )
}

/** A page of letters: their sends are one request. */
function Rows({ of: letters, knows, at }: { of: readonly Letter[]; knows: boolean; at: Letter | undefined }) {
  const sends = useSendsOf(letters.map(({ id }) => id))
  return letters.map((letter) => (
    <Row key={letter.id} of={letter} sends={sends.get(letter.id) ?? []} knows={knows} isAt={letter === at} />
  ))
}

type RowProps = { of: Letter; sends: readonly Send[]; knows: boolean; isAt: boolean }

function Row({ of: letter, sends, knows, isAt }: RowProps) {
  const titleOf = useTitleOf()
  const business = addressOf(useBusiness())
  const send = mainOf(sends)
  return (
    <tr className={isAt ? 'at' : undefined}>
      <td className="p1 cut">
        <Link to="/$business/letters/$entry" params={{ business, entry: letter.id }} className="strong whole">
          {titleOf(letter)}
        </Link>
      </td>
      <td className="p3 state">
        {send ? (
          <Link
            to="/$business/letters/$entry/sends/$send"
            params={{ business, entry: letter.id, send: send.id }}
            className="over"
          >
            <SendState of={send} />
          </Link>
        ) : (
          <LetterState of={letter} />
        )}
      </td>
      {knows && <Figures of={send} />}
      <td className="num soft changed">
        <When at={letter.updatedAt} />
      </td>
    </tr>
  )
}

function Figures({ of: send }: { of: Send | undefined }) {
  const { number } = useFormat()
  const moment = useMoment()
  const count = (value: number | undefined, tone = '') =>
    send?.startedAt && value ? <span className={tone}>{number(value)}</span> : <span className="soft">–</span>
  return (
    <>
      <td className="soft when p4">
        {send ? (
          send.status === 'SCHEDULED' ? (
            moment(send.scheduledAt)
          ) : (
            <When at={send.startedAt ?? send.scheduledAt} />
          )
        ) : (
          <span className="hide-phone">–</span>
        )}
      </td>
      <td className="num hide-phone">{count(send?.total)}</td>
      <td className="num p2">{count(send?.sent)}</td>
      <td className="num max-desk:hidden">{count(send?.failed, 'alert-text')}</td>
      <td className="num max-desk:hidden">{count(send?.uncertain, 'wait-text')}</td>
    </>
  )
}
