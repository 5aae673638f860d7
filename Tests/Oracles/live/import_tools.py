def cases(shared, folder, chosen):
    return []
