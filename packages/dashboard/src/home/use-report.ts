import { useQuery } from '@tanstack/react-query'
import { useCounted } from '../insights/use-counted.ts'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import { homeQuery } from './queries.ts'

/** The day at a glance, of what this person may see. */
export function useReport() {
  const { id } = useBusiness()
  const { mayAny } = usePermissions()
  const isEnabled = mayAny('ORDERS_READ', 'PRODUCTS_WRITE', 'SUBSCRIBERS_READ')
  return { ...useQuery({ ...homeQuery(id), enabled: isEnabled }), isEnabled }
}

/** Reads it again until it has all that the page knows of. Once a page. */
export function useFreshReport() {
  const { data, refetch } = useReport()
  return useCounted(data?.upToEvent, refetch)
}
