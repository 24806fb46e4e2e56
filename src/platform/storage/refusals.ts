import { providerNotConfigured } from '#vocabulary/define-refusal.ts'

/** MEDIA_STORAGE is not set. */
export const storageNotConfigured = providerNotConfigured('media storage')
