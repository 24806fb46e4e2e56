import { badRequest, forbidden, notFound } from '#vocabulary/define-refusal.ts'

export const pictureNotFound = notFound('picture')

// Of /mcp
export const foreignMcpOrigin = forbidden('Pages of other addresses may not use /mcp.')
export const mcpParameterUnknown = badRequest(
  'There is no parameter "{name}" here. There are write, tags and business; a key or token belongs into the Authorization header.',
)
export const mcpBatchRefused = badRequest('Send one message at a time: lists of messages are not taken here.')
export const mcpParameterTwice = badRequest('Give {name} once; several tags are separated by commas.')
export const mcpWriteInvalid = badRequest('write must be on or off.')
export const mcpTagUnknown = badRequest('There are no tools of "{tag}". There are {tags}.')
