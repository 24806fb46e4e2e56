import slugify from '@sindresorhus/slugify'

const MAX_LENGTH = 80

/** Lower-case words joined by hyphens; `fallback` for a name without letters or digits. */
export const slugOf = (name: string, fallback: string) =>
  slugify(name).slice(0, MAX_LENGTH).replace(/-$/, '') || fallback
