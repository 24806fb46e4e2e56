import { getRouteApi, useRouter } from '@tanstack/react-router'
import { kontor } from '../api/client.ts'

const route = getRouteApi('/login')

/** To where one was going; with an invitation, it is accepted first. */
export function useEnter() {
  const router = useRouter()
  const { to } = route.useSearch()
  return async (invitation?: string) => {
    if (invitation) await kontor.operations.acceptInvitation({ body: { token: invitation } })
    await router.invalidate()
    router.history.push(to?.startsWith('/') && !to.startsWith('//') ? to : '/admin/')
  }
}
