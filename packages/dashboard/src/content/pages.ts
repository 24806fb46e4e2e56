// All screens of content are one part: each part of its own would add a line to what every page of the dashboard loads first.
export { CollectionPage } from './collection/collection-page.tsx'
export { CollectionsPage } from './collections-page.tsx'
export { EntryPage } from './entry/entry-page.tsx'
export { NewEntryPage } from './entry/new-entry-page.tsx'
export { NewCollectionPage } from './new-collection-page.tsx'
export { SchemaPage } from './schema/schema-page.tsx'
export { VersionsPage } from './versions/versions-page.tsx'
