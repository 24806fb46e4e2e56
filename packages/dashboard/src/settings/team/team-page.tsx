import { useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Head } from '../../ui/page.tsx'
import { Count, Tabs } from '../../ui/tabs.tsx'
import { invitationsQuery } from '../queries.ts'
import { Invitations } from './invitations.tsx'
import { InviteSheet } from './invite-sheet.tsx'
import { Members } from './members.tsx'

const route = getRouteApi('/signed-in/$business/settings/team')

/** Who works here, and who is invited to. */
export function TeamPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const waiting = useInfiniteQuery(invitationsQuery(business.id, 'PENDING'))
  const count = waiting.data?.pages.flatMap(({ items }) => items).length
  const showInvite = (isOpen: boolean) =>
    void navigate({ search: (now) => ({ ...now, do: isOpen ? 'invite' : undefined }), replace: !isOpen })
  useCommands([{ id: 'invite', label: t`Invite somebody`, keys: 'n', icon: UserPlus, run: () => showInvite(true) }])
  return (
    <>
      <Head title={t`Team`}>
        <Button look="main" icon={UserPlus} onClick={() => showInvite(true)}>{t`Invite`}</Button>
      </Head>
      <Tabs label={t`Ways to see the team`}>
        <route.Link to="." search={{}} aria-current={search.show === undefined ? 'page' : undefined}>
          {t`Members`}
        </route.Link>
        <route.Link
          to="."
          search={{ show: 'invitations' }}
          aria-current={search.show === 'invitations' ? 'page' : undefined}
        >
          {t`Invitations`} {count !== undefined && <Count>{waiting.hasNextPage ? `${count}+` : count}</Count>}
        </route.Link>
      </Tabs>
      {search.show === 'invitations' ? <Invitations onInvite={() => showInvite(true)} /> : <Members />}
      {search.do === 'invite' && <InviteSheet onClose={() => showInvite(false)} />}
    </>
  )
}
