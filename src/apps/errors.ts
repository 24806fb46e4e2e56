import { badRequest, forbidden, notFound } from '#vocabulary/define-refusal.ts'

export const pictureNotFound = notFound('image')

// Of /mcp
export const foreignMcpOrigin = forbidden('Pages of other addresses may not use /mcp.')
export const mcpParameterUnknown = badRequest(
  'Unknown parameter "{name}". Accepted parameters: write, tags, business. Send keys and tokens in the Authorization header.',
)
export const mcpBatchRefused = badRequest('Send one message at a time: lists of messages are not taken here.')
export const mcpParameterTwice = badRequest('Give {name} once; several tags are separated by commas.')
export const mcpWriteInvalid = badRequest('write must be on or off.')
export const mcpTagUnknown = badRequest('There are no tools of "{tag}". There are {tags}.')
