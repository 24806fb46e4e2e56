import { KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { UserRoundKey } from 'lucide-react'
import { useEffect, useState } from 'react'
import { kontor } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { useProblem } from '../ui/problem.tsx'
import { lastWay } from './last-way.ts'
import { askForPasskey, canOfferPasskeys, canUsePasskeys, endPasskeys, isGivenUp } from './passkeys.ts'

/** What is offered is signed for a challenge of the service, which forgets it after five minutes. */
const OFFER_MS = 4 * 60_000

type Props = {
  enter: (body: object) => Promise<void>
  /** None where something else comes first. */
  look: 'main' | undefined
}

/** One press, and the browser asks for finger, face or key. Those it knows it also offers below the email address. */
export function PasskeyButton({ enter, look }: Props) {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [offers, setOffers] = useState(0)
  const offerAgain = () => setOffers((before) => before + 1)

  const enterWith = async (passkey: object) => {
    await enter({ provider: 'PASSKEY', passkey })
    lastWay.keep('passkey')
  }
  const fail = (error: unknown) => {
    if (isGivenUp(error)) return setProblem(t`Nothing was confirmed. Try again, or sign in with your password.`)
    const isUnknown = error instanceof KontorError && error.has('PASSKEY_INVALID')
    setProblem(
      isUnknown ? t`This passkey is not known here. It may have been removed from your profile.` : wordsOf(error).what,
    )
  }

  useEffect(() => {
    let isLeft = false
    const offer = async () => {
      if (!(await canOfferPasskeys()) || isLeft) return
      const options = await kontor.operations.getPasskeyLoginOptions({ body: {} })
      if (isLeft) return
      const passkey = await askForPasskey(options, { isOffer: true })
      if (!isLeft) await enterWith(passkey)
    }
    // Nobody asked for it: only what becomes of a passkey that was chosen is worth a word.
    offer().catch((error: unknown) => {
      if (error instanceof KontorError && error.status >= 400) fail(error)
    })
    const timer = setTimeout(offerAgain, OFFER_MS)
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [offers])
  useEffect(() => () => void endPasskeys(), [])

  const press = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      await enterWith(await askForPasskey(await kontor.operations.getPasskeyLoginOptions({ body: {} })))
    } catch (error) {
      fail(error)
      offerAgain()
    } finally {
      setBusy(false)
    }
  }
  if (!canUsePasskeys()) return null
  return (
    <>
      <Button
        look={look}
        className="tall"
        icon={UserRoundKey}
        autoFocus={look === 'main' && lastWay.isPasskey()}
        reason={isBusy ? t`Waiting for your browser…` : undefined}
        onClick={() => void press()}
      >{t`Continue with a passkey`}</Button>
      {problem && <Notice tone="alert" title={problem} />}
      <p className="or">{t`or with a password`}</p>
    </>
  )
}
