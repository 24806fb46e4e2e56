import { testStorage } from '../../support/storage-contract.ts'
import { openOtherStorage, openS3Storage, otherStoreSettings } from '../../support/storages.ts'

testStorage('S3', openS3Storage)

const other = otherStoreSettings()
if (other) testStorage(other.S3_ENDPOINT ?? '', async () => openOtherStorage(other))
