import { useSyncExternalStore } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { type Upload, upload, uploadStore } from './uploads.ts'

/** Uploads of this person in the open business, in the order in which they were chosen. */
export function useUploads(): Upload[] {
  const { id } = useBusiness()
  return useSyncExternalStore(uploadStore.subscribe, uploadStore.get).filter(({ businessId }) => businessId === id)
}

export function useUpload() {
  const { id } = useBusiness()
  return (files: readonly File[]) => upload(id, files)
}
