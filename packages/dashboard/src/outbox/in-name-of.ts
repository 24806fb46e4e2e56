import { createKontor, type Kontor, KontorError } from '@kontor/sdk'
import { proven } from '../api/proven.ts'
import { accessToken, sessionStore } from '../session/session.ts'

export const signedUserId = () => sessionStore.get().signed?.userId

export const notSignedIn = (cause?: unknown) =>
  new KontorError({ status: 401, code: 'UNAUTHENTICATED', message: 'The session has ended. Sign in again.', cause })

/** Whoever looks through a role changes nothing. */
export const onlySeen = () =>
  new KontorError({ status: 403, code: 'ONLY_SEEN', message: 'You only look through a role: nothing is changed.' })

const clients = new Map<string, Kontor>()

/** Calls in the name of one person and nobody else, whoever has signed in meanwhile. Its users repeat by themselves. */
export function kontorOf(userId: string): Kontor {
  const token = async (refusedToken?: string) => {
    // That there is no token is no answer to what was asked.
    const given = await accessToken(refusedToken).catch((cause: unknown) => {
      throw notSignedIn(cause)
    })
    if (signedUserId() !== userId) throw notSignedIn()
    return given
  }
  const client =
    clients.get(userId) ?? proven(createKontor({ baseUrl: location.origin, accessToken: token, retries: 0 }))
  clients.set(userId, client)
  return client
}

/** When this person is signed in: now, or once they are back. */
export const comesIn = (userId: string) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (signedUserId() !== userId) return
      stop()
      resolve()
    }
    const stop = sessionStore.subscribe(look)
    look()
  })
