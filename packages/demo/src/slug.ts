/** The names of the demo are plain English: lower case, with a hyphen for whatever is no letter or digit. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
