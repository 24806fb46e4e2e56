import { testStorage } from '../../support/storage-contract.ts'
import { openFolderStorage } from '../../support/storages.ts'

testStorage('a folder', openFolderStorage)
