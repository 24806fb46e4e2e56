import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Permission, usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Empty } from '../ui/empty.tsx'
import { Head } from '../ui/page.tsx'
import { CameIn } from './came-in.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Needs } from './needs-list.tsx'
import { newestQuery } from './queries.ts'
import { RunsLow } from './runs-low.tsx'
import { Sells } from './sells.tsx'
import { Today } from './today.tsx'
import { useFreshNews } from './use-news.ts'

const READERS: Permission[] = ['ORDERS_READ', 'PRODUCTS_WRITE', 'SUBSCRIBERS_READ', 'CONTENT_READ_DRAFTS']

/** Did we sell, what has to be done, what went wrong. */
export function HomePage() {
  const { t } = useLingui()
  const format = useFormat()
  const { may, mayAny } = usePermissions()
  const business = useBusiness()
  const seesSales = may('ORDERS_READ')
  const newest = useQuery({ ...newestQuery(business.id), enabled: seesSales })
  const isNew = seesSales && newest.data?.items.length === 0
  const now = useNow()
  useFreshNews()
  const place = format.timeZone.split('/').at(-1)?.replaceAll('_', ' ') ?? ''
  const time = format.time(now)
  return (
    <>
      <Head
        title={format.weekday(now)}
        facts={<span>{place === 'UTC' ? t`${time} UTC` : t`${time} in ${place}`}</span>}
      />
      {!mayAny(...READERS) ? (
        <div className="page">
          <Empty title={t`Nothing here is about your work yet`}>
            {t`What happens to orders, goods and texts stands here. An admin of ${business.name} can let you see it.`}
          </Empty>
        </div>
      ) : (
        <div className={seesSales ? 'home' : 'home narrow'}>
          {seesSales && (
            <div className="home-work">
              <Today now={now} isNew={isNew} />
              {isNew ? (
                <FirstSteps />
              ) : (
                <>
                  <Sells />
                  <CameIn />
                </>
              )}
            </div>
          )}
          <div className="home-side">
            <Needs />
            {may('PRODUCTS_WRITE') && <RunsLow />}
          </div>
        </div>
      )}
    </>
  )
}

/** Unix seconds, to the minute. */
function useNow(): number {
  const [now, setNow] = useState(() => Math.trunc(Date.now() / 60_000) * 60)
  useEffect(() => {
    const timer = setInterval(() => setNow(Math.trunc(Date.now() / 60_000) * 60), 5_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
