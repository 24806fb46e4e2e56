import { useSyncExternalStore } from 'react'
import { onlySeen } from '../../outbox/in-name-of.ts'
import { seenAs } from '../../session/see-as.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { type Upload, upload, uploadStore } from './uploads.ts'

/** Uploads of this person in the open business, in the order in which they were chosen. */
export function useUploads(): Upload[] {
  const { id } = useBusiness()
  return useSyncExternalStore(uploadStore.subscribe, uploadStore.get).filter(({ businessId }) => businessId === id)
}

export function useUpload() {
  const { id } = useBusiness()
  const wordsOf = useProblem()
  return (files: readonly File[]) => {
    if (seenAs()?.businessId !== id) return upload(id, files)
    toast(wordsOf(onlySeen()).what)
    return []
  }
}
