import { badRequest, forbidden, invalid, notFound, providerNotConfigured } from '#vocabulary/define-refusal.ts'

/** MEDIA_STORAGE is not set. */
export const storageNotConfigured = providerNotConfigured('media storage')
export const fileNotFound = notFound('file')

// Uploads that the service takes itself, and downloads
export const addressNotSigned = forbidden(
  'This address is not one that we gave out. Use it as it is, or ask for a new one.',
)
export const addressExpired = forbidden('This address is too old. Ask for a new one.')
export const lengthDiffers = invalid('Content-Length', 'INVALID', 'This address takes a file of exactly {size} bytes.')
export const typeDiffers = invalid('Content-Type', 'INVALID', 'This address takes a file of the type {mimeType}.')
export const hashDiffers = invalid('sha256', 'INVALID', 'This is another file than was announced: its SHA-256 differs.')
export const uploadEndedEarly = badRequest('The upload ended early.')
